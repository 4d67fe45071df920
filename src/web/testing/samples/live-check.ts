import type { CallReply } from '#contract/client.ts';

/** A bot that nothing keeps from trading live. */
export function aLiveCheck(changes: Partial<CallReply<'liveCheck'>> = {}): CallReply<'liveCheck'> {
  return {
    key: { label: 'main', hint: '9f3c', checked_at: '2026-11-22T11:59:00.000Z', check: 'ok', can_trade: true, can_withdraw: false },
    live_enabled: true,
    store_fault: null,
    trading_state: 'active',
    owner_verified: true,
    open_trades: 0,
    clock_offset_ms: 11.2,
    password_needed: false,
    drill: null,
    ...changes,
  };
}

/** What the exchange has answered about the free balance of a bot's account. */
export function aFreeBalance(changes: Partial<CallReply<'freeBalance'>> = {}): CallReply<'freeBalance'> {
  return { currency: 'USDT', free: 9_800, read_at: '2026-11-22T12:00:01.000Z', why: null, ...changes };
}

/** A drill in which all went well. */
export function aDrill(changes: Partial<NonNullable<CallReply<'liveCheck'>['drill']>> = {}): NonNullable<CallReply<'liveCheck'>['drill']> {
  return {
    run_at: '2026-11-22T11:58:00.000Z',
    is_current: true,
    minutes: 60,
    pairs: ['BTC/USDT', 'ETH/USDT'],
    kills: 101,
    freezes: 6,
    faults: 3_248,
    orders: 146,
    lost_answers: 46,
    stops: 58,
    longest_without_stop_ms: 10_400,
    trades: 42,
    refusals: [],
    leftovers: [],
    differences: [],
    ...changes,
  };
}
