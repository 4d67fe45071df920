import type { CallReply } from '#contract/client.ts';
import { packHistory } from '#contract/packed-history.ts';
import { candleColumns } from '#engine/market/candle.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, number, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { idOf } from './ids.ts';

const stepMs = 300_000;
const warmUp = 1_000;

/** The candles of a market that goes up and down, as the server packs them; so many are of the range. */
export function aHistory(length = 1_500): Blob {
  const candles = candleColumns(warmUp + length);
  const first = Date.UTC(2026, 10, 1);
  let before = 100;
  for (let i = 0; i < warmUp + length; i++) {
    const last = Math.round((100 + 6 * Math.sin(i / 40) + 3 * Math.sin(i / 7) + 2 * Math.sin(i / 191)) * 100) / 100;
    candles.openTime[i] = first + i * stepMs;
    candles.open[i] = before;
    candles.high[i] = Math.max(before, last) + 0.05;
    candles.low[i] = Math.min(before, last) - 0.05;
    candles.close[i] = last;
    candles.volume[i] = 10 + (i % 7);
    before = last;
  }
  const [from, to] = [first + warmUp * stepMs, first + (warmUp + length) * stepMs];
  const instrument = {
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    marketType: 'spot',
    active: true,
    priceTick: 0.01,
    amountStep: 0.0001,
    minAmount: 0,
    maxAmount: Infinity,
    minCost: 0,
    maxCost: Infinity,
    contractSize: 1,
    takerFee: 0.001,
    makerFee: 0.001,
    maxLeverage: 1,
    leverageTiers: [],
  } as const;
  return new Blob([packHistory({ instrument, from, to, candles, funding: null })]);
}

/** Rules of two conditions and an exit, with a parameter. */
export const someRules: RulesDocument = {
  ...emaCross,
  title: 'Dips in a rise',
  defaults: {
    ...emaCross.defaults,
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: { low: { default: 34, min: 20, max: 45, step: 1, unit: '', meaning: 'Low enough.' } },
  enterLong: [
    {
      tag: 'dip',
      when: {
        kind: 'all',
        rules: [
          compare(indicator('rsi', { period: 14 }), 'below', number(parameter('low'))),
          compare(price('close'), 'above', indicator('ema', { period: 100 })),
        ],
      },
    },
  ],
  exitLong: [{ tag: 'hot', when: compare(indicator('rsi', { period: 14 }), 'above', number(68)) }],
  enterShort: [],
  exitShort: [],
};

/** A strategy of rules of the person who is signed in, in version 3, that no bot uses. */
export function aRuleStrategy(
  number: number,
  changes: Partial<CallReply<'listRules'>['rules'][number]> = {},
): CallReply<'listRules'>['rules'][number] {
  return {
    id: idOf(700 + number),
    name: someRules.title,
    owner: { id: idOf(1), email: 'trader@flotilla.example' },
    is_own: true,
    is_shared: false,
    version: 3,
    made_at: '2026-11-19T10:00:00.000Z',
    document: someRules,
    bots: [],
    ...changes,
  };
}

/** A bot that uses rules. */
export function aUsingBot(
  number: number,
  version: number,
  changes: Partial<CallReply<'listRules'>['rules'][number]['bots'][number]> = {},
): CallReply<'listRules'>['rules'][number]['bots'][number] {
  return {
    id: idOf(100 + number),
    nickname: `Bot ${number}`,
    user_id: idOf(1),
    mode: 'paper',
    status: 'active',
    exchange_id: 'sandbox',
    version,
    ...changes,
  };
}
