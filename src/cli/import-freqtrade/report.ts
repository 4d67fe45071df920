import { fromText, plus, toText, zero } from '#engine/market/decimal.ts';
import { to8Decimals } from '#engine/market/rounding.ts';
import type { BotToImport, ImportedBot, ImportedHistory } from '#processes/import-bot.ts';
import type { ChosenPairs } from './choose-pairs.ts';
import type { MovedConfiguration } from './freqtrade-configuration.ts';
import type { FreqtradeTrades } from './freqtrade-trades.ts';

/** What a new bot was made of. */
export interface ImportToReport {
  made: ImportedBot;
  wanted: BotToImport;
  moved: MovedConfiguration;
  trades: FreqtradeTrades;
  pairs: ChosenPairs;
  isRehearsal: boolean;
}

const rehearsed = 'Nothing is done: this is what would be.';

/** What was made, what could not be carried over with what to do about it, and what is still open: lines for a person. */
export function newBotReport(of: ImportToReport): string[] {
  const { made, wanted, moved, trades, isRehearsal } = of;
  const left = leftLines(of);
  return [
    ...(isRehearsal ? [rehearsed] : []),
    ...newBotLines(of),
    ...(left.length === 0 ? [] : ['Not carried over:', ...left.map((line) => `  ${line}`)]),
    ...(moved.meaningless.length === 0 ? [] : [`Without a meaning here: ${moved.meaningless.join(', ')}.`]),
    ...(moved.hasKeys
      ? [`The configuration has keys for ${moved.exchange}. They were not read: add them on the page API Keys before the bot trades live.`]
      : []),
    ...openLines(trades),
    ...(isRehearsal
      ? []
      : [
          `Two programs on one account take each other’s balance: stop freqtrade before "${made.nickname}" trades live with ${wanted.stakeCurrency} of the same account.`,
        ]),
  ];
}

/** What a bot that was there has got, and what is still open: lines for a person. */
export function continuedReport({ nickname, taken }: ImportedHistory, trades: FreqtradeTrades, isRehearsal: boolean): string[] {
  const before = trades.closed.length - taken;
  const had = `${before} ${before === 1 ? 'was' : 'were'} there`;
  return [
    ...(isRehearsal ? [rehearsed] : []),
    taken === 0
      ? `The bot "${nickname}" has all ${before} closed trades of this database already: nothing is new.`
      : `The bot "${nickname}" ${isRehearsal ? 'would get' : 'gets'} ${taken} closed ${taken === 1 ? 'trade' : 'trades'} more; ${had}. Its settings stay as they are.`,
    ...openLines(trades),
  ];
}

function openLines({ open }: FreqtradeTrades): string[] {
  if (open.length === 0) return [];
  return [
    'Open in freqtrade, and not imported:',
    ...open.map((trade) => `  ${openLine(trade)}`),
    'Close them in freqtrade, or let it run until they are closed; then run this command again, which imports them.',
  ];
}

function newBotLines({ made, wanted, trades, pairs, isRehearsal }: ImportToReport): string[] {
  const {
    exchange_id: exchange,
    margin_mode: market,
    max_open_trades: slots,
    stake_amount: stake,
    stake_currency: currency,
  } = wanted.settings;
  const timeframe = made.settings.ownSettings.timeframe ?? made.strategy.defaultTimeframe;
  return [
    `The bot "${made.nickname}" of ${wanted.owner.email} ${isRehearsal ? 'would be' : 'is'} made: paper and paused, ${wanted.strategy} on ${exchange} ${market}, ${timeframe}, ${slots} ${slots === 1 ? 'slot' : 'slots'} of ${stake} ${currency}.`,
    `It trades ${pairs.chosen.length} ${pairs.chosen.length === 1 ? 'pair' : 'pairs'}: ${listed(pairs.chosen, 8)}.`,
    ...(wanted.file === null
      ? []
      : [`Its strategy ${isRehearsal ? 'would lie' : 'lies'} in the folder of strategies: ${wanted.file.path}.`]),
    trades.closed.length === 0
      ? 'There are no closed trades to import.'
      : `${trades.closed.length} closed ${trades.closed.length === 1 ? 'trade' : 'trades'} ${isRehearsal ? 'would be' : trades.closed.length === 1 ? 'is' : 'are'} its history: ${sumText(trades, currency)}.`,
  ];
}

function sumText({ closed }: FreqtradeTrades, currency: string): string {
  const sum = closed.reduce((total, { profit }) => plus(total, fromText(profit)), zero);
  const won = closed.filter(({ profit }) => Number(profit) > 0).length;
  const lost = closed.filter(({ profit }) => Number(profit) < 0).length;
  return `${to8Decimals(Number(toText(sum)))} ${currency} after fees, ${won} won, ${lost} lost`;
}

function leftLines({ moved, trades, pairs, wanted }: ImportToReport): string[] {
  const left = [...moved.left];
  if (moved.stakeAmount === null)
    left.push({
      key: 'stake_amount',
      what: `a stake is a fixed amount here, and "unlimited" is made ${wanted.settings.stake_amount}: change Stake Amount on Configure Bot when the capital changes`,
    });
  if (pairs.unknown.length > 0)
    left.push({
      key: 'exchange.pair_whitelist',
      what: `${wanted.settings.exchange_id} does not offer ${listed(pairs.unknown, 8)} in ${moved.stakeCurrency}; trades in them are history all the same`,
    });
  if (pairs.areOfTrades)
    left.push({
      key: 'exchange.pair_whitelist',
      what: 'it names no pairs: the bot has those that were traded; choose others on Configure Bot',
    });
  if (trades.mostLeverage > 1 && moved.leverage === 1)
    left.push({
      key: 'leverage',
      what: `trades had up to ${trades.mostLeverage}x, which the strategy asked for; the bot has 1x: set Leverage on Configure Bot`,
    });
  const others = trades.strategies.filter((name) => name !== wanted.strategy);
  if (others.length > 0) left.push({ key: 'strategy', what: `trades of ${others.join(', ')} are history of this bot too` });
  return left.map(({ key, what }) => `${key}: ${what}.`);
}

function openLine({ id, symbol, direction, amount, openedAt, openOrders }: FreqtradeTrades['open'][number]): string {
  const since = openedAt.toISOString().slice(0, 16).replace('T', ' ');
  const orders = openOrders.length === 0 ? '' : `; waiting at the exchange: ${openOrders.join(', ')}`;
  return `${id}: ${symbol} ${direction}, ${amount}, since ${since} UTC${orders}`;
}

function listed(names: readonly string[], most: number): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
