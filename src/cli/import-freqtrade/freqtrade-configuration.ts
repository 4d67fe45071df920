import { ownSettingsChanges, type OwnSettingsChanges } from '#contract/own-settings.ts';
import { builtInServerConfig } from '#contract/settings.ts';
import { type MarketType, marketTypes } from '#engine/market/instrument.ts';
import { ConfigReader } from '#strategy-process/words/config-reader.ts';
import { isObject, type JsonObject } from '#strategy-process/words/json-object.ts';
import { CommandError } from '../command-error.ts';
import { readConfigFile } from '../config/config-json.ts';
import { leftBehind, type LeftBehind, withoutMeaning } from './left-behind.ts';

/** What a configuration of freqtrade says of a bot, as the form of a new bot has it. */
export interface MovedConfiguration {
  exchange: string; // as it is called there
  marketType: MarketType;
  leverageMode: 'isolated' | 'cross';
  stakeCurrency: string;
  stakeAmount: number | null; // null: "unlimited", the capital over the most open trades
  capital: number; // that it had at first
  mostOpen: number | null; // trades at once; null: no limit
  leverage: number;
  pairs: string[]; // names, or patterns of names
  excluded: string[]; // likewise
  own: OwnSettingsChanges;
  trailing: Partial<NonNullable<OwnSettingsChanges['trailing']>>; // what it says of the trailing stop; the strategy says the rest
  strategy: string | null; // the class
  botName: string | null;
  hasKeys: boolean;
  left: LeftBehind[]; // what could not be carried over
  meaningless: string[]; // keys that mean nothing here
}

/** Keys and passwords: their values are taken out of the text as it is parsed. */
const secret = /^(?:key|secret|password|passphrase|uid|account_?id|private_?key|wallet_?address|api_?key|.*token.*|.*secret.*)$/iu;
const concealed = 'given';
const conceal = (name: string, value: unknown): unknown =>
  secret.test(name) && typeof value === 'string' && value !== '' ? concealed : value;

/**
 * Reads configurations of freqtrade, of which a later one has the say. No key, secret or password is kept.
 *
 * Fails: CommandError with a sentence for everything that is wrong
 */
export function readConfiguration(files: readonly string[]): MovedConfiguration {
  const whole = files.map((file) => readConfigFile(file, conceal)).reduce<JsonObject>(merged, {});
  if (Array.isArray(whole['add_config_files']) && whole['add_config_files'].length > 0)
    throw new CommandError(
      `The configuration adds others ("add_config_files"): name them too, in the sequence of their weight: --config ${files[0]} ${whole['add_config_files'].join(' ')}.`,
    );
  const reader = new ConfigReader(whole);
  const moved = movedOf(reader, whole);
  if (reader.faults.length > 0) throw new CommandError(reader.faults);
  return moved;
}

function merged(under: JsonObject, over: JsonObject): JsonObject {
  const both = Object.entries(over).map(([key, value]) => {
    const before = under[key];
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

/** How many trades a bot can have open at once. */
const mostSlots = builtInServerConfig.max_open_trades.max;

function movedOf(reader: ConfigReader, whole: JsonObject): MovedConfiguration {
  const left: LeftBehind[] = [];
  const exchange = reader.section('exchange');
  const exchangeName = exchange?.text('name') ?? '';
  if (exchangeName === '') reader.refuse('"exchange.name" is missing: name the exchange whose pairs the bot trades.');
  const stakeCurrency = reader.text('stake_currency') ?? '';
  if (stakeCurrency === '') reader.refuse('"stake_currency" is missing.');
  const mostOpen = mostOpenOf(reader, left);
  const marketType = reader.choice('trading_mode', marketTypes) ?? 'spot';
  const margin = reader.value('margin_mode', '"isolated" or "cross"', (value) =>
    value === '' ? 'isolated' : value === 'isolated' || value === 'cross' ? value : undefined,
  );
  const pairs = exchange?.texts('pair_whitelist') ?? reader.texts('pair_whitelist') ?? [];
  const excluded = exchange?.texts('pair_blacklist') ?? reader.texts('pair_blacklist') ?? [];
  for (const list of reader.sections('pairlists') ?? [])
    if (list.text('method') !== 'StaticPairList') {
      left.push({
        key: 'pairlists',
        what: `a bot trades the pairs that it names, and "${list.text('method') ?? ''}" chooses them again and again: change Trading Pairs on Configure Bot when they change`,
      });
      break;
    }
  const moved: MovedConfiguration = {
    exchange: exchangeName,
    marketType,
    leverageMode: margin ?? 'isolated',
    stakeCurrency,
    ...stakeOf(reader),
    mostOpen,
    leverage: reader.number('leverage') ?? 1,
    pairs,
    excluded,
    own: ownOf(reader, left),
    trailing: trailingOf(reader),
    strategy: reader.text('strategy') ?? null,
    botName: reader.text('bot_name') ?? null,
    hasKeys: ['key', 'apiKey', 'secret', 'private_key', 'privateKey', 'wallet_address', 'walletAddress'].some(
      (name) => exchange?.text(name) === concealed,
    ),
    left,
    meaningless: [],
  };
  left.push(...leftBehind(whole));
  moved.meaningless.push(...withoutMeaning(whole));
  return moved;
}

/** The slots of a bot of so many pairs, and the stake of each. With an "unlimited" stake all of them have the capital, and no more. */
export function slotsAndStake(
  { mostOpen, stakeAmount, capital }: Pick<MovedConfiguration, 'mostOpen' | 'stakeAmount' | 'capital'>,
  pairs: number,
): { slots: number; stake: number } {
  const slots = mostOpen === null || mostOpen > mostSlots ? Math.min(mostSlots, pairs) : mostOpen;
  const each = capital / (mostOpen ?? slots);
  const decimals = each >= 1 ? 100 : 1e8; // cents, or satoshis of a currency in which a stake is less than 1
  return { slots, stake: stakeAmount ?? Math.floor(each * decimals) / decimals };
}

function mostOpenOf(reader: ConfigReader, left: LeftBehind[]): number | null {
  const given = reader.number('max_open_trades');
  if (given === undefined)
    reader.refuse('"max_open_trades" is missing: give the most trades that may be open at once, or -1 for no limit.');
  if (given === undefined || given === -1 || given > mostSlots)
    left.push({
      key: 'max_open_trades',
      what: `a bot has 1 to ${mostSlots} slots; it gets one for each of its pairs, at most ${mostSlots}`,
    });
  if (given === undefined || given === -1) return null;
  if (!Number.isInteger(given) || given < 1)
    reader.refuse(`"max_open_trades" must be a whole number of at least 1, or -1, and is ${given}.`);
  return given;
}

function stakeOf(reader: ConfigReader): Pick<MovedConfiguration, 'stakeAmount' | 'capital'> {
  const stake = reader.value('stake_amount', 'a number above 0 or "unlimited"', (value) =>
    value === 'unlimited' || (typeof value === 'number' && value > 0 && value < 1e12) ? value : undefined,
  );
  const wallet =
    reader.value('dry_run_wallet', 'a number, or an object of currencies', walletOf(reader.text('stake_currency') ?? '')) ?? 1_000;
  const capital = reader.number('available_capital') ?? wallet * (reader.number('tradable_balance_ratio') ?? 0.99);
  if (stake === undefined && !reader.has('stake_amount'))
    reader.refuse('"stake_amount" is missing: give the stake of a trade, or "unlimited".');
  return { stakeAmount: typeof stake === 'number' ? stake : null, capital };
}

const walletOf =
  (currency: string) =>
  (value: unknown): number | undefined => {
    if (typeof value === 'number' && value > 0) return value;
    const amount = isObject(value) ? value[currency] : undefined;
    return typeof amount === 'number' && amount > 0 ? amount : undefined;
  };

/** The settings of its own, each checked as the form of a bot checks it; what a bot cannot have is left behind. */
function ownOf(reader: ConfigReader, left: LeftBehind[]): OwnSettingsChanges {
  const own: Record<string, unknown> = {};
  const take = (key: string, name: string, value: unknown): void => {
    if (value === undefined) return;
    const checked = ownSettingsChanges.safeParse({ [name]: value });
    if (checked.success) own[name] = value;
    else
      left.push({
        key,
        what: `${checked.error.issues[0]?.message ?? 'it is refused'}; what the strategy has counts: change it on Configure Bot`,
      });
  };
  take('timeframe', 'timeframe', reader.text('timeframe'));
  take('stoploss', 'stoploss', reader.number('stoploss'));
  take(
    'minimal_roi',
    'minimal_roi',
    reader.value('minimal_roi', 'an object of minutes to ratios', (value) => (isObject(value) ? value : undefined)),
  );
  take('order_types', 'order_types', choices(reader, 'order_types', ['entry', 'exit', 'stoploss'], ['limit', 'market'], left));
  take(
    'order_time_in_force',
    'order_time_in_force',
    choices(reader, 'order_time_in_force', ['entry', 'exit'], ['GTC', 'IOC', 'FOK'], left),
  );
  return own;
}

function choices(
  reader: ConfigReader,
  key: string,
  names: readonly string[],
  words: readonly string[],
  left: LeftBehind[],
): object | undefined {
  const section = reader.section(key);
  if (section === undefined) return undefined;
  const chosen = names.flatMap((name) => {
    const word = section.text(name);
    if (word === undefined) return [];
    const known = words.find((each) => each.toLowerCase() === word.toLowerCase());
    if (known === undefined) left.push({ key: `${key}.${name}`, what: `"${word}" is not offered here: the strategy’s is used` });
    return known === undefined ? [] : [[name, known] as const];
  });
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}

function trailingOf(reader: ConfigReader): MovedConfiguration['trailing'] {
  const given = {
    trailing_stop: reader.boolean('trailing_stop'),
    trailing_stop_positive: reader.number('trailing_stop_positive'),
    trailing_stop_positive_offset: reader.number('trailing_stop_positive_offset'),
    trailing_only_offset_is_reached: reader.boolean('trailing_only_offset_is_reached'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
