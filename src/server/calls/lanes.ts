import { texts } from '#contract/errors.ts';
import type { RouteName } from '#contract/routes.ts';
import { HttpError } from '../http/http-error.ts';

/** So many changes of one person may be at work at a time in each lane: few of them have a connection to the database. */
const mostInside = { change: 3, stop: 2, 'stop-many': 1, session: 2, outside: 3, backtest: 3 } as const;

/** So many changes of one person may wait in a lane: their bodies take memory. */
export const mostWaiting = 60;

/**
 * Changes of a person that wait for each other. What takes a bot out of trading or closes a trade waits for nothing else that the person does,
 * nor for a press that stops many bots; what renews or ends a session waits for neither. What stays open for seconds while something outside works,
 * or for minutes while a backtest runs, holds up nothing else.
 */
export type Lane = keyof typeof mostInside;

const lanesOfCalls: Partial<Record<RouteName, Lane>> = {
  stopTrading: 'stop',
  closeAll: 'stop',
  closeTrade: 'stop',
  takeOutOfTrade: 'stop',
  moveStop: 'stop',
  tryStop: 'stop',
  logout: 'session',
  refreshSession: 'session',
  endOwnSession: 'session',
  endOtherSessions: 'session',
  runDrill: 'outside',
  freeBalance: 'outside',
  addApiKey: 'outside',
  testWebhook: 'outside',
  testSheet: 'outside',
  testChannel: 'outside',
  sendTestMail: 'outside',
  backtestStrategy: 'backtest',
  runBacktest: 'backtest',
};

/** The lane of a change; its query and body have been checked. */
export function laneOf(name: RouteName, query: unknown, body: unknown): Lane {
  const { status } = { ...(query as object), ...(body as object) } as { status?: string };
  if ((name === 'toggleBot' || name === 'setBotStatus') && status !== 'active') return 'stop';
  const { action } = { ...(body as object) } as { action?: string };
  if (name === 'changeBots' && (action === 'pause' || action === 'stop')) return 'stop-many';
  return lanesOfCalls[name] ?? 'change';
}

/**
 * Lets only a few changes of each person work at a time, in this process; the others wait, first come, first served. They wait before they take a
 * connection: changes of one person need the same rows, and each that waits for a row in the database keeps a connection from everybody else.
 */
export class Lanes {
  readonly #lanes = new Map<string, { inside: number; waiting: (() => void)[] }>();

  /** Does a change of a person when it has a place in its lane. Fails: 429 when so many wait for one; else as the work */
  async pass<T>(person: string, lane: Lane, work: () => Promise<T>): Promise<T> {
    const leave = await this.#enter(`${lane} ${person}`, mostInside[lane]);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #enter(key: string, most: number): Promise<() => void> {
    const lane = this.#lanes.get(key) ?? { inside: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.inside < most) {
      lane.inside += 1;
    } else {
      if (lane.waiting.length >= mostWaiting) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
      await new Promise<void>((go) => lane.waiting.push(go)); // whoever leaves hands over the place
    }
    return () => {
      const next = lane.waiting.shift();
      if (next !== undefined) return next();
      lane.inside -= 1;
      if (lane.inside === 0) this.#lanes.delete(key);
    };
  }
}
