import { marketTypes } from '#engine/market/instrument.ts';
import { z } from 'zod';
import { needsBotAndSymbol } from './chart.ts';
import { asksExchange, joinTexts, needsBot } from './errors.ts';
import {
  botAndSymbol,
  botModes,
  botStatuses,
  finite,
  id,
  moment,
  momentMs,
  oneOf,
  pnlRanges,
  pricedAt,
  requiredText,
  tradeStatuses,
} from './fields.ts';
import { defineRoute } from './route.ts';

/** One line of the order log. */
export const orderLogEntry = z.object({
  timestamp: moment,
  symbol: z.string(),
  direction: z.enum(['long', 'short']),
  size: finite, // base currency
  entry: finite.nullable(), // price of entry; null while nothing is filled
  status: z.enum(tradeStatuses),
  confidence: finite.nullable(), // 0 to 1
  stop_loss: finite.nullable(), // price
  trade_id: z.string().optional(),
  exit_timestamp: moment.nullable().optional(),
  exit: finite.nullable().optional(), // price of exit
  exit_reason: z.string().nullable().optional(),
  entry_tag: z.string().nullable().optional(),
  pnl: finite.nullable().optional(), // after fees and funding, in stake currency; null while open
  pnl_ratio: finite.nullable().optional(), // of the stake
  fees: finite.optional(), // stake currency
  funding: finite.optional(), // received, in stake currency; negative was paid
  stake: finite.optional(),
  leverage: finite.optional(),
  initial_stop: finite.nullable().optional(), // price
  stop_moves: z.array(z.object({ time: momentMs, price: finite })).optional(), // where the stop was set after the first, oldest first
});

const ofTheLog = {
  price_tick: finite.nullable().optional(), // of the newest trade's market when it was entered
  trades_version: z.string().optional(), // of the trades in the log
};

/** What the profit of an open trade depends on, besides the price: the terms of `profitAt`, in which the parts taken out count. */
export const profitTerms = z.object({
  direction: z.enum(['long', 'short']),
  market_type: z.enum(marketTypes),
  leverage: finite,
  amount: finite,
  open_rate: finite,
  open_value: finite,
  open_time: momentMs,
  fee_close: finite,
  funding_fees: finite,
  interest: z.object({ scheme: z.enum(['binance', 'kraken']), rate_per_period: finite }).nullable(),
  taken_out: finite.optional(), // what the parts taken out have brought
  all_funding: finite.optional(), // what the trade has received, or paid, in all
});

/** Profit and loss of a bot's symbol now and over the range. */
export const pnl = z.object({
  unrealized_pnl: finite, // of the open trade, with what was taken out of it
  current_price: finite.nullable(),
  position_size: finite.nullable(),
  entry_price: finite.nullable(),
  leverage: finite,
  liquidation_price: finite.nullable(),
  history: z.array(z.object({ time: momentMs, pnl: finite })),
  ...pricedAt,
  price_tick: finite.nullable().optional(), // the market's smallest step of a price
  profit_terms: profitTerms.nullable().optional(), // null without an open position
  trades_version: z.string().optional(), // of the trades these figures are of
});

/** Calls of the monitoring dashboard. */
export const metricsRoutes = {
  availableBots: defineRoute({
    id: 'API-18',
    method: 'GET',
    path: '/metrics/available-bots',
    summary: 'Bots the caller may watch.',
    access: { who: 'all', bot: 'visible' },
    reply: z.object({
      data: z.array(
        z.object({
          id: z.string(),
          nickname: z.string(),
          exchange_id: z.string().optional(), // names simulated markets and test networks
          strategy_name: z.string(),
          mode: z.enum(botModes),
          status: z.enum(botStatuses),
          may_change: z.boolean().optional(), // the caller may trade with it by hand
        }),
      ),
    }),
    errors: {},
  }),
  availablePairs: defineRoute({
    id: 'API-19',
    method: 'GET',
    path: '/metrics/available-pairs',
    summary: 'Symbols of a bot.',
    access: { who: 'all', bot: 'visible' },
    query: z.object({ bot_id: requiredText('bot_id is required').pipe(id) }),
    reply: z.object({ pairs: z.array(z.string()) }),
    errors: joinTexts(needsBot, { 400: ['bot_id is required'] }),
  }),
  orderMetrics: defineRoute({
    id: 'API-20',
    method: 'GET',
    path: '/metrics/orders',
    summary: "Win rate, number of trades and the newest trades of a bot's symbol.",
    access: { who: 'all', bot: 'visible' },
    query: botAndSymbol,
    reply: z.object({ win_rate: finite, trade_count: z.number().int(), trades: z.array(orderLogEntry), ...ofTheLog }),
    errors: needsBotAndSymbol,
  }),
  pnlMetrics: defineRoute({
    id: 'API-21',
    method: 'GET',
    path: '/metrics/pnl',
    summary: "Profit and loss of a bot's symbol.",
    access: { who: 'all', bot: 'visible' },
    query: botAndSymbol.extend({ range: oneOf(pnlRanges, 'Range must be daily, weekly, monthly or yearly').default('daily') }),
    reply: pnl,
    errors: joinTexts(needsBotAndSymbol, asksExchange, { 400: ['Range must be daily, weekly, monthly or yearly'] }),
  }),
} as const;
