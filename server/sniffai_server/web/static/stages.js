// @ts-check
// Rounds of a course, as the server tells them.

import { call } from "./connect.js";
import { scoresOf } from "./course.js";

/** A stage from a round with all hands known. @returns {Promise<import("./course.js").Stage>} */
export async function stageOfDeal(deal) {
  const { state } = await call("RulesService/DescribeRound", { deal });
  return {
    players: deal.players, leader: deal.leader ?? 0, scores: scoresOf(deal), deal,
    hands: (deal.hands ?? []).map((hand) => hand.tiles ?? []), events: state.events ?? [],
    settlement: state.settlement, after: state.over ? state.scores : undefined,
  };
}
