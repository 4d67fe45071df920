import type { CallReply } from '#contract/client.ts';

/** The limits of a bot that are all defaults, but for what is given. */
export function someLimits(changes: Partial<CallReply<'getLimits'>> = {}): CallReply<'getLimits'> {
  const amounts = { 'order-value': [300, 120], 'position-value': [300, 250], 'daily-loss': [150, 150] } as const;
  const others = {
    'open-orders': [10, 2],
    'orders-per-minute': [20, 1],
    'price-collar': [0.02, null],
    leverage: [3, 3],
    drawdown: [0.8, 0.0584],
  } as const;
  const limit = (name: string, [value, use]: readonly [number, number | null], currency: string | null) =>
    ({
      name,
      currency,
      value,
      default: value,
      is_default: true,
      use,
      stricter: null,
      set_by: null,
      set_at: null,
      ceiling: null,
      may_raise: true,
      has_no_rate: false,
    }) as CallReply<'getLimits'>['limits'][number];
  return {
    level: 'bot',
    id: '3f6c1e52-0000-4000-8000-000000000001',
    name: 'Night Trend',
    mode: 'paper',
    limits: [
      ...Object.entries(amounts).map(([name, figures]) => limit(name, figures, 'USDT')),
      ...Object.entries(others).map(([name, figures]) => limit(name, figures, null)),
    ],
    ...changes,
  };
}

/** When a switch was set, and that nothing else has come behind it. */
export function setSince(at: string): { set_at: string; since: string; behind: string[] } {
  return { set_at: at, since: at, behind: [] };
}

/** A kill switch that nobody has pressed. */
export function aTradingView(changes: Partial<CallReply<'getTradingState'>> = {}): CallReply<'getTradingState'> {
  return {
    own: 'active',
    server: 'active',
    own_bots: 2,
    own_open_trades: 1,
    all_bots: null,
    all_open_trades: null,
    switches: [],
    ...changes,
  };
}
