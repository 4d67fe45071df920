import { type Plan, type PlanForm, planFormAt } from './plan-form.ts';

/** What the form holds when it asks for a plan again; the rest of it stays as it is. */
export function fieldsOfPlan(plan: Plan) {
  return {
    tradingMode: plan.trading_mode,
    pairs: [...plan.pairs],
    from: plan.from,
    to: plan.to,
    timeframe: plan.timeframe,
    detailTimeframe: plan.detail_timeframe,
    slots: plan.max_open_trades,
    balance: plan.starting_balance,
    isUnlimited: plan.stake_amount === null,
    ...(plan.stake_amount === null ? {} : { stake: plan.stake_amount }),
    leverage: plan.leverage,
    feePercent: plan.fee_ratio === null ? '' : percentOf(plan.fee_ratio),
    slippagePercent: percentOf(plan.slippage_ratio),
    protections: protectionsOf(plan),
  } satisfies Partial<PlanForm>;
}

/** A fraction as a person writes it. */
export function percentOf(ratio: number): number {
  return Number((ratio * 100).toPrecision(12));
}

function protectionsOf(plan: Plan) {
  const { cooldown, stoplossGuard } = planFormAt(plan.to).protections;
  const pause = plan.protections.find((each) => each.kind === 'cooldown');
  const guard = plan.protections.find((each) => each.kind === 'stoploss-guard');
  return {
    cooldown: pause === undefined ? cooldown : { isOn: true, stopMinutes: pause.stopMinutes },
    stoplossGuard:
      guard === undefined
        ? stoplossGuard
        : { isOn: true, tradeLimit: guard.tradeLimit, lookbackMinutes: guard.lookbackMinutes, stopMinutes: guard.stopMinutes },
  };
}
