import { secondMs } from '#engine/market/durations.ts';
import { exchangeFigures } from '#feeds/exchange-clocks.ts';
import type { Runner } from '#runner/runner.ts';
import type { Metric } from './metric-text.ts';
import { gauge } from './metric-text.ts';

/** What a runner has done, and how it stands with its lease and its exchanges. */
export function runnerMetrics(runner: Pick<Runner, 'figures'>): () => Promise<Metric[]> {
  return async () => {
    const { bots, leaseAgeMs, newestEpoch, oldestPriceAgeMs, effects, orderStates } = runner.figures();
    const { offsetsMs, usedBudgets } = await exchangeFigures();
    return [
      gauge('flotilla_bots', 'Bots this runner runs.', bots),
      gauge(
        'flotilla_lease_age_seconds',
        'Since this runner has renewed its lease; at 10 others take over its bots.',
        leaseAgeMs / secondMs,
      ),
      gauge('flotilla_lease_epoch', 'The newest epoch of a bot of this runner; it grows with each take-over.', newestEpoch),
      {
        name: 'flotilla_stream_age_seconds',
        help: 'Age of the newest price, of the bot that has waited longest.',
        type: 'gauge',
        samples: oldestPriceAgeMs === null ? [] : [{ value: oldestPriceAgeMs / secondMs }],
      },
      {
        name: 'flotilla_bot_effects_total',
        help: 'What bots have done: decisions, orders made, filled and cancelled, trades opened and closed, alarms.',
        type: 'counter',
        samples: [...effects].map(([kind, value]) => ({ value, labels: { kind } })),
      },
      {
        name: 'flotilla_orders_total',
        help: 'Orders at exchanges that have reached a state: sent, unknown, open, filled, cancelled, expired, refused.',
        type: 'counter',
        samples: [...orderStates].map(([state, value]) => ({ value, labels: { state } })),
      },
      {
        name: 'flotilla_exchange_clock_offset_seconds',
        help: 'How far the clock of this machine is behind the exchange.',
        type: 'gauge',
        samples: [...offsetsMs].map(([exchange, ms]) => ({ value: ms / secondMs, labels: { exchange } })),
      },
      {
        name: 'flotilla_exchange_weight_used_ratio',
        help: 'How much of the requests an exchange allows in a minute is used.',
        type: 'gauge',
        samples: [...usedBudgets].map(([key, value]) => {
          const [exchange = '', api = ''] = key.split(' ');
          return { value, labels: { exchange, api } };
        }),
      },
    ];
  };
}
