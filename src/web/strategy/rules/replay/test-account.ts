import type { PositionPlan, RulesDocument } from '#engine/rules/document.ts';
import { decimalsOf } from '../../../ui/money.ts';

/** What a replay trades with. Money in stake currency. */
export interface TestAccount {
  stake: number;
  slots: number; // that many stakes are the capital
}

/** The stake of every replay: small enough for any market, large enough for the smallest order. */
export function testStake(currency: string): number {
  return decimalsOf(currency) === 2 ? 300 : 0.01;
}

/** The account a document is replayed with: capital for its largest position, so that no further entry is refused for want of money. */
export function testAccount({ positionPlan }: Pick<RulesDocument, 'positionPlan'>, currency: string): TestAccount {
  return { stake: testStake(currency), slots: Math.ceil(largestPosition(positionPlan)) };
}

/** The largest position that a plan builds up, in first stakes: 2 for two further entries of a half. */
export function largestPosition(plan: PositionPlan | null): number {
  const addMore = plan?.addMore ?? null;
  return addMore === null || addMore.isOff === true ? 1 : 1 + addMore.most * addMore.stake;
}
