import { connect, type ConnectOptions } from '../connect.ts';
import { ExchangeClock, type MachineClock } from '../exchange-clock.ts';

const clocks = new WeakMap<() => number, Map<string, ExchangeClock>>();

/**
 * The clock of one exchange and market for all accounts of this process whose own clock is `now`: if each measured it every minute, hundreds
 * of accounts would use up the requests that one address may send.
 *
 * It asks without a key and by a connection of its own, so that it depends on no account that comes or goes; and as urgently as an order,
 * because without the exchange's time no order can be signed.
 */
export function sharedClock(options: Omit<ConnectOptions, 'credentials'>, now: () => number, pace?: () => number): ExchangeClock {
  const known = clocks.get(now) ?? new Map<string, ExchangeClock>();
  clocks.set(now, known);
  const key = `${options.exchangeId} ${options.marketType} ${options.sandboxUrl ?? ''}`;
  const clock = known.get(key) ?? newClock(options, { now, pace });
  known.set(key, clock);
  return clock;
}

function newClock(options: Omit<ConnectOptions, 'credentials'>, machine: MachineClock): ExchangeClock {
  const { client, budget } = connect(options);
  const ask = client.fetchTime.bind(client);
  client.fetchTime = () => budget.as('order', ask);
  return new ExchangeClock(client, machine, options.exchangeId);
}
