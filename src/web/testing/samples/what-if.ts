import type { CallReply } from '#contract/client.ts';
import { unpackHistory } from '#contract/packed-history.ts';
import { WhatIfRunner } from '#engine/lab/what-if/what-if-runner.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import { botSettings } from '#engine/settings/bot-settings.ts';
import { suggestedValues } from '#engine/settings/suggested-values.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { idOf } from './ids.ts';
import { aHistory, someRules } from './rules.ts';

type Setup = CallReply<'whatIf'>;

const packed = await aHistory().arrayBuffer();
const { from, to, candles, instrument } = unpackHistory(packed);
const values = suggestedValues(someRules.defaults);
const account = {
  exchangeId: 'sandbox',
  marketType: 'spot',
  leverage: 1,
  leverageMode: 'isolated',
  stakeAmount: 100,
  maxOpenTrades: 2,
} as const;
const settings = botSettings({ ...account, startingBalance: 200 }, values, { canShort: false, adjustsPosition: false });

/** A replay of a bot with rules, over the candles of `aHistory`. */
export function aWhatIf(changes: Partial<Setup> = {}): Setup {
  const strategy = compileRules(someRules);
  return {
    title: 'Bot 1',
    run: null,
    bot: { id: idOf(101), nickname: 'Bot 1', version: 3, may_configure: true },
    is_portfolio: false,
    strategy: { id: idOf(301), name: 'Dips in a rise', class_name: 'Dips', startup_candles: strategy.startupCandles, series: [] },
    declared: Object.entries(someRules.parameters).map(([name, parameter]) => ({ name, ...parameter, unit: parameter.unit ?? '' })),
    source: { kind: 'rules', document: someRules as unknown as Record<string, unknown> },
    source_note: null,
    why_not: null,
    exchange_id: 'sandbox',
    trading_mode: 'spot',
    timeframe: '5m',
    detail_timeframe: null,
    from,
    to,
    warm_up: 1_000,
    pairs: ['BTC/USDT'],
    others: [],
    currency: 'USDT',
    settings: { ...settings },
    parameters: defaultParameters(strategy),
    own_capital: false,
    fee_note: null,
    fingerprint: null,
    ...changes,
  };
}

const runner = new WhatIfRunner({
  real: { settings, parameters: defaultParameters(compileRules(someRules)), capital: 'stake-times-slots' },
  strategy: compileRules(someRules),
  compute: (columns, parameters, symbol, others) => compileRules(someRules).compute(columns, parameters, others, symbol),
  timeframe: '5m',
  detailTimeframe: null,
  pairs: [{ instrument, candles, funding: null }],
  others: {},
  range: { from, to: to - 1 },
  currency: 'USDT',
  fingerprinted: null,
});

/** What a server answers to changes. */
export function aWhatIfAnswer(changes: WhatIfChanges = {}): CallReply<'whatIfAnswer'> {
  const replayed = runner.replay(changes);
  if (!replayed.ok) return { state: 'unavailable', why: replayed.reasons.join(' '), report: null, took_ms: null };
  return { state: 'done', why: null, report: replayed.report, took_ms: 12 };
}
