import { dayMs, secondMs } from '#engine/market/durations.ts';
import { readLiveHealth } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import { countAlarms, readOrderFigures } from '#storage/orders/order-figures.ts';
import { longestStopGap } from '#storage/trades/stop-gaps.ts';
import type { Metric } from './metric-text.ts';
import { gauge } from './metric-text.ts';

/** Alarms that say 0 when there is none, so that a rule on them never lacks its figure. */
const always = ['unknown-order', 'unprotected-position', 'position-margin', 'difference'];

/** How live trading stands, as the database knows it. */
export async function liveMetrics(db: Database): Promise<Metric[]> {
  const [orders, alarms, health, gapMs] = await Promise.all([
    readOrderFigures(db),
    countAlarms(db),
    readLiveHealth(db),
    longestStopGap(db, new Date(Date.now() - dayMs)),
  ]);
  const age = (at: Date | null): { value: number }[] => (at === null ? [] : [{ value: (Date.now() - at.getTime()) / secondMs }]);
  return [
    {
      name: 'flotilla_orders',
      help: 'Orders at exchanges that have not ended, by state.',
      type: 'gauge',
      samples: [...orders.counts].map(([state, value]) => ({ value, labels: { state } })),
    },
    {
      name: 'flotilla_unknown_order_age_seconds',
      help: 'Age of the oldest order whose state is unknown; 0 when there is none.',
      type: 'gauge',
      samples: orders.oldestUnknownAt === null ? [{ value: 0 }] : age(orders.oldestUnknownAt),
    },
    {
      name: 'flotilla_open_alarms',
      help: 'Open alarms by kind, such as unknown orders, unprotected positions and differences.',
      type: 'gauge',
      samples: [...new Set([...always, ...alarms.keys()])].map((kind) => ({ value: alarms.get(kind) ?? 0, labels: { kind } })),
    },
    {
      name: 'flotilla_longest_stop_gap_seconds',
      help: 'The longest time of the last 24 hours in which a position had no confirmed stop while one took the place of another; 0 when none did.',
      type: 'gauge',
      samples: [{ value: (gapMs ?? 0) / secondMs }],
    },
    gauge('flotilla_live_accounts', 'Accounts that live bots trade with.', health.accounts),
    gauge('flotilla_unchecked_accounts', 'Of those never compared with the trades of their bots.', health.uncheckedAccounts),
    gauge('flotilla_refused_keys', 'Keys of those accounts that the exchange has refused.', health.refusedKeys),
    {
      name: 'flotilla_account_check_age_seconds',
      help: 'Since an account was compared with the trades of its bots, of the one that has waited longest.',
      type: 'gauge',
      samples: age(health.oldestCheckAt),
    },
  ];
}
