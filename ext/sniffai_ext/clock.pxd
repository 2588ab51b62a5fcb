"""A monotonic clock that needs no Python."""

cdef extern from * nogil:
    """
    #if defined(_WIN32)
    #include <windows.h>
    static double sniff_seconds(void) {
        LARGE_INTEGER ticks, rate;
        QueryPerformanceCounter(&ticks);
        QueryPerformanceFrequency(&rate);
        return (double)ticks.QuadPart / (double)rate.QuadPart;
    }
    #else
    #include <time.h>
    static double sniff_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    #endif
    """
    double monotonic "sniff_seconds"() noexcept    # seconds since some fixed moment
