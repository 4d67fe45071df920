import { keyIsTrading, noKeyAfterReset } from '#contract/api-keys.ts';
import { keepsCurrency, noLiveAfterReset } from '#contract/bots.ts';
import type { CallInput } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import type { RouteName } from '#contract/routes.ts';
import { noIntegrationAfterReset } from '#contract/strategies.ts';

/** Where the orders of a bot go: nowhere, to the market simulator, to a real exchange. */
export const places = ['paper', 'sandbox', 'real'] as const;

/**
 * How the caller stands: the password just checked; checked long ago; just checked, an hour after it was reset by mail; just checked, and
 * suspended: signed in again after the verification was withdrawn.
 */
export const standings = ['fresh', 'stale', 'reset', 'suspended'] as const;

/** What an answer is called in the table; `-` is not tried. */
export const answers: Readonly<Record<string, string>> = {
  y: 'done',
  P: `403 ${texts.passwordNeeded}`,
  V: `403 ${texts.notVerified}`,
  R: `403 ${noLiveAfterReset}`,
  N: `403 ${texts.noRiskAfterReset}`,
  K: `403 ${noKeyAfterReset}`,
  I: `403 ${noIntegrationAfterReset}`,
  T: '409 Bot has open trades',
  C: `409 ${keepsCurrency}`,
  M: `400 ${texts.keyRequired}`,
  D: `409 ${keyIsTrading}`,
};

/** What there is around the bot that is changed. */
export interface Around {
  bot: string;
  strategy: string;
  key: string; // of the bot, at its exchange
  otherKey: string; // of its owner, at the same exchange
  keyElsewhere: string; // of its owner, at `elsewhere`
  newKey: { key: string; secret: string };
  exchange: string;
  elsewhere: string; // an exchange the bot does not trade at
  email: string; // of its owner
  trade: string;
  lock: string; // of a pair of the bot
}

/** A change of a bot: the fields of the call that make it, and what it needs. */
export interface LiveChange {
  call: RouteName;
  what: string;
  fields: readonly string[]; // of body, query and path; `id` names the bot
  by?: 'admin'; // its owner, when left out
  isPaused?: true; // the bot before; it is active, when left out
  input: (around: Around) => CallInput<RouteName>;
  /** For each place: without open trades, then with one; each for the four standings. */
  needs: readonly [paper: string, sandbox: string, real: string];
}

const nothing = ['yyyy yyyy', 'yyyy yyyy', 'yyyy yyyy'] as const;
// What raises a limit, or what live bots trade by: not on the day after a reset either. Who is suspended does not do it on paper.
const safeOnceLive = ['yyyV yyyV', 'yPNV yPNV', 'yPNV yPNV'] as const;
const passwordForReal = ['yyyV yyyV', 'yyyV yyyV', 'yPyV yPyV'] as const;
const passwordAlways = ['yPyy yPyy', 'yPyy yPyy', 'yPyy yPyy'] as const;
const passwordToLift = ['yPyV yPyV', 'yPyV yPyV', 'yPyV yPyV'] as const; // what was stopped or locked
const passwordAndNoReset = ['yPIV yPIV', 'yPIV yPIV', 'yPIV yPIV'] as const; // where messages of trades go
const otherAccount = ['yyyV TTTT', 'yPRV TTTT', 'yPRV TTTT'] as const; // as going live, and never under open trades

const update = (what: string, fields: readonly string[], needs: LiveChange['needs'], body: (around: Around) => object): LiveChange => ({
  call: 'updateBot',
  what,
  fields: [...fields, 'mode'], // that was seen
  needs,
  input: (around) => ({ params: { id: around.bot }, body: body(around) }),
});
/** A setting of its own, of one that sets itself a stop of 2 %, a pause after 4 losses in a row, and has no trailing stop. */
const own = (what: string, needs: LiveChange['needs'], ownSettings: object): LiveChange =>
  update(`its own ${what}`, ['own_settings'], needs, () => ({ own_settings: ownSettings }));
const trailing = {
  trailing_stop: true,
  trailing_stop_positive: 0.01,
  trailing_stop_positive_offset: 0.02,
  trailing_only_offset_is_reached: true,
};
const status = (to: string, needs: LiveChange['needs']): LiveChange[] => [
  {
    call: 'toggleBot',
    what: `to ${to}`,
    fields: ['status', 'mode', 'was'], // mode and status that were seen: they refuse, and allow nothing
    needs,
    ...(to === 'active' ? { isPaused: true as const } : {}),
    input: ({ bot }) => ({ params: { id: bot }, query: { status: to } }),
  },
  {
    call: 'setBotStatus',
    what: `to ${to}`,
    fields: ['status', 'mode', 'was'],
    by: 'admin',
    needs,
    ...(to === 'active' ? { isPaused: true as const } : {}),
    input: ({ bot }) => ({ params: { id: bot }, body: { status: to } }),
  },
];
/** What several bots at once are given, of which one is this. */
const bulk = (action: string, needs: LiveChange['needs']): LiveChange => ({
  call: 'changeBots',
  what: action,
  fields: ['bot_ids', 'action', 'tags', 'modes', 'versions', 'statuses'],
  needs,
  input: ({ bot }) => ({
    body: { bot_ids: [bot], action, ...(action.endsWith('tag') ? { tags: ['grid'] } : {}) },
  }),
});
const mode = (to: string, needs: LiveChange['needs']): LiveChange => ({
  call: 'changeBotMode',
  what: `to ${to}`,
  fields: ['mode'],
  needs,
  input: ({ bot }) => ({ params: { id: bot }, query: { mode: to } }),
});
const strategy = (field: string, value: unknown, needs: LiveChange['needs']): LiveChange => ({
  call: 'updateStrategy',
  what: field,
  fields: [field],
  by: 'admin',
  needs,
  input: ({ strategy: id }) => ({ params: { id }, body: { [field]: value } }),
});
const restore = (what: string, version: number, needs: LiveChange['needs']): LiveChange => ({
  call: 'restoreBotVersion',
  what,
  fields: ['version', 'mode'],
  needs,
  input: ({ bot }) => ({ params: { id: bot, version } }),
});
const limit = (what: string, value: number, needs: LiveChange['needs']): LiveChange => ({
  call: 'changeLimits',
  what,
  fields: ['level', 'id', 'changes'],
  needs,
  input: ({ bot }) => ({ body: { level: 'bot', id: bot, changes: [{ name: 'open-orders', currency: null, value }] } }),
});
const onSwitch = (
  call: 'stopTrading' | 'reArmTrading' | 'closeAll',
  field: string,
  value: string,
  needs: LiveChange['needs'],
): LiveChange => ({
  call,
  what: value,
  fields: ['level', 'id', field, ...(call === 'reArmTrading' ? ['set_at'] : [])], // the switch that was seen: it refuses, and allows nothing
  needs,
  input: ({ bot }) => ({ body: { level: 'bot', id: bot, [field]: value } }),
});

/** Which change of a bot needs what. The bot stakes 100 in 3 slots, trades BTC/USDT (where it has a trade, if any) and ETH/USDT. */
export const liveChanges: readonly LiveChange[] = [
  update('its name', ['nickname'], nothing, () => ({ nickname: 'Another' })),
  update('a higher stake', ['stake_amount'], safeOnceLive, () => ({ stake_amount: 150 })),
  update('a lower stake', ['stake_amount'], nothing, () => ({ stake_amount: 50 })),
  update('more slots', ['max_open_trades'], safeOnceLive, () => ({ max_open_trades: 5 })),
  update('fewer slots', ['max_open_trades'], nothing, () => ({ max_open_trades: 2 })),
  update('a higher leverage', ['leverage'], safeOnceLive, () => ({ leverage: 3 })),
  update('how margin is kept', ['leverage_mode'], nothing, () => ({ leverage_mode: 'cross' })),
  update('one more pair', ['trading_pairs'], safeOnceLive, () => ({ trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'] })),
  update('the pair of its trade taken away', ['trading_pairs'], ['yyyy TTTT', 'yyyy TTTT', 'yyyy TTTT'], () => ({
    trading_pairs: ['ETH/USDT'],
  })),
  update('another exchange, its key named', ['exchange_id', 'api_key_id'], otherAccount, ({ elsewhere, keyElsewhere }) => ({
    exchange_id: elsewhere,
    api_key_id: keyElsewhere,
  })),
  update('another exchange, no key named', ['exchange_id'], ['yyyV TTTT', 'MMMM TTTT', 'MMMM TTTT'], ({ elsewhere }) => ({
    exchange_id: elsewhere,
  })),
  update('another market', ['margin_mode'], otherAccount, () => ({ margin_mode: 'margin' })),
  update('another stake currency', ['stake_currency', 'trading_pairs'], ['yyyV TTTT', 'yPRV CCCC', 'yPRV CCCC'], () => ({
    stake_currency: 'USDC',
    trading_pairs: ['BTC/USDC'],
  })),
  update('another stored key', ['api_key_id'], ['yyyV yyyV', 'yPRV TTTT', 'yPRV TTTT'], ({ otherKey }) => ({ api_key_id: otherKey })),
  own('wider stop', safeOnceLive, { stoploss: -0.025 }),
  own('nearer stop', nothing, { stoploss: -0.01 }),
  own('stop given back to a wider one', safeOnceLive, { stoploss: null }),
  own('pause after more losses', safeOnceLive, { max_consecutive_losses: 5 }),
  own('pause after fewer losses', nothing, { max_consecutive_losses: 3 }),
  own('trailing stop, where there was none', nothing, { trailing }),
  own('nearer stop and another timeframe', safeOnceLive, { stoploss: -0.01, timeframe: '1h' }),
  own('timeframe', safeOnceLive, { timeframe: '1h' }),
  own('ROI', safeOnceLive, { minimal_roi: { '0': 0.9 } }),
  own('risk reward ratio', safeOnceLive, { risk_reward_ratio: 9 }),
  own('order type', safeOnceLive, { order_types: { entry: 'market' } }),
  own('time in force', safeOnceLive, { order_time_in_force: { entry: 'IOC' } }),
  own('parameter', safeOnceLive, { parameters: { period: 9 } }),
  own('parameter, as its strategy has it', nothing, { parameters: { period: 14 } }),
  restore('of a higher stake', 1, safeOnceLive),
  restore('of another market', 2, otherAccount),
  restore('of a wider stop of its own', 4, safeOnceLive),
  ...status('active', passwordForReal),
  ...status('paused', nothing),
  ...status('stopped', nothing),
  { ...bulk('activate', passwordForReal), isPaused: true },
  ...['pause', 'stop', 'tag', 'untag'].map((action) => bulk(action, nothing)),
  mode('live', ['yPRV TPRV', 'yyyy yyyy', 'yyyy yyyy']), // those of a live bot change nothing
  mode('paper', ['yyyy yyyy', 'yyyy TTTT', 'yyyy TTTT']),
  {
    call: 'addApiKey',
    what: 'for the bot',
    fields: ['exchange_id', 'label', 'key', 'secret', 'passphrase', 'bot_id', 'user_email'],
    needs: ['yPKV yPKV', 'yPKV TPKV', 'yPKV TPKV'],
    input: ({ bot, exchange, newKey }) => ({ body: { exchange_id: exchange, ...newKey, bot_id: bot } }),
  },
  {
    call: 'deleteApiKey',
    what: 'of the bot',
    fields: [],
    needs: ['yyyy yyyy', 'DDDD DDDD', 'DDDD DDDD'],
    input: ({ key }) => ({ params: { id: key } }),
  },
  {
    call: 'createBot',
    what: 'another one, live, with the same key',
    fields: [
      'strategy_id',
      'exchange_id',
      'margin_mode',
      'stake_currency',
      'stake_amount',
      'max_open_trades',
      'leverage',
      'trading_pairs',
      'user_email',
      'mode',
      'leverage_mode',
      'nickname',
      'api_key_id',
      'own_settings',
    ],
    needs: ['yPRV yPRV', 'yPRV yPRV', 'yPRV yPRV'],
    input: ({ strategy: id, exchange, email, key }) => ({
      body: {
        strategy_id: id,
        exchange_id: exchange,
        margin_mode: 'spot',
        stake_currency: 'USDT',
        stake_amount: 100,
        max_open_trades: 1,
        leverage: 1,
        trading_pairs: ['BTC/USDT'],
        user_email: email,
        mode: 'live',
        leverage_mode: 'isolated',
        nickname: 'Second',
        api_key_id: key,
        own_settings: { stoploss: -0.5 },
      },
    }),
  },
  {
    call: 'takeVersion',
    what: 'of its strategy',
    fields: ['version', 'mode'],
    needs: safeOnceLive,
    input: ({ bot }) => ({ params: { id: bot }, body: { version: 1 } }),
  },
  limit('lower', 5, nothing),
  limit('higher', 500, ['yPyV yPyV', 'yPNV yPNV', 'yPNV yPNV']),
  onSwitch('stopTrading', 'state', 'halted', nothing),
  onSwitch('reArmTrading', 'state', 'active', passwordToLift),
  onSwitch('closeAll', 'confirm', 'CLOSE ALL', passwordAlways),
  {
    call: 'closeTrade',
    what: 'of the bot',
    fields: [],
    needs: ['---- yyyy', '---- yPyy', '---- yPyy'],
    input: ({ trade }) => ({ params: { id: trade } }),
  },
  {
    call: 'enterByHand',
    what: 'with a stop',
    fields: ['symbol', 'direction', 'stake', 'stop_price', 'mode'], // the mode that was seen: it refuses, and allows nothing
    needs: safeOnceLive,
    input: ({ bot }) => ({ params: { id: bot }, body: { symbol: 'ETH/USDT', direction: 'long', stake: 20, stop_price: 1 } }),
  },
  {
    call: 'setBotTags',
    what: 'of the bot',
    fields: ['tags'],
    needs: nothing,
    input: ({ bot }) => ({ params: { id: bot }, body: { tags: ['grid'] } }),
  },
  {
    call: 'addPairLock',
    what: 'for the bot',
    fields: ['level', 'pair', 'direction', 'reason', 'ends_at'],
    needs: nothing,
    input: ({ bot }) => ({ params: { id: bot }, body: { level: 'bot', pair: 'DOGE', direction: null, reason: 'too wild', ends_at: null } }),
  },
  { call: 'endPairLock', what: 'of the bot', fields: [], needs: passwordToLift, input: ({ lock }) => ({ params: { id: lock } }) },
  ...(['addToTrade', 'takeOutOfTrade', 'moveStop'] as const).map((call): LiveChange => ({
    call,
    what: 'of the bot',
    fields: { addToTrade: ['stake'], takeOutOfTrade: ['share'], moveStop: ['price'] }[call],
    needs: call === 'addToTrade' ? ['---- yyyV', '---- yPNV', '---- yPNV'] : ['---- yyyy', '---- yPyy', '---- yPyy'],
    input: ({ trade }) => ({
      params: { id: trade },
      body: { addToTrade: { stake: 20 }, takeOutOfTrade: { share: 0.5 }, moveStop: { price: 1.5 } }[call],
    }),
  })),
  {
    call: 'moveStop',
    what: 'given back to the settings of the bot',
    fields: ['price'],
    needs: ['---- yyyV', '---- yPNV', '---- yPNV'],
    input: ({ trade }) => ({ params: { id: trade }, body: { price: null } }),
  },
  strategy('name', 'Another name', nothing),
  strategy('description', 'Other words', nothing),
  strategy('encrypted_webhook', 'https://hooks.example.com/a', passwordAndNoReset),
  strategy('encrypted_sheets_key', 'a sheet', passwordAndNoReset),
  strategy('encrypted_webhook', '', nothing),
  strategy('encrypted_sheets_key', '', nothing),
  strategy('supported_exchanges', ['binance', 'kraken'], safeOnceLive),
  strategy('default_timeframe', '1h', safeOnceLive),
  strategy('stoploss', -0.9, safeOnceLive),
  strategy('trailing_stop', true, safeOnceLive),
  strategy('trailing_stop_positive', 0.5, safeOnceLive),
  strategy('trailing_stop_positive_offset', 0.7, safeOnceLive),
  strategy('trailing_only_offset_is_reached', true, safeOnceLive),
  strategy('max_consecutive_losses', 9, safeOnceLive),
  strategy('risk_reward_ratio', 9, safeOnceLive),
  strategy('minimal_roi', { '0': 0.9 }, safeOnceLive),
  strategy('order_types', { entry: 'market', exit: 'market' }, safeOnceLive),
  strategy('order_time_in_force', { entry: 'IOC' }, safeOnceLive),
  {
    call: 'restoreStrategyVersion',
    what: 'of another stop',
    fields: ['version'],
    by: 'admin',
    needs: safeOnceLive,
    input: ({ strategy: id }) => ({ params: { id, version: 7 } }),
  },
];

/** Calls that change something, and nothing of what a bot trades, where, and with how much. */
export const reachNoBot: readonly RouteName[] = [
  // accounts and sessions
  'login',
  'register',
  'makeFirstAdmin',
  'logout',
  'updatePassword',
  'forgotPassword',
  'resetPassword',
  'verifyEmail',
  'resendVerification',
  'resendTwoFactor',
  'setUpTwoFactor',
  'verifyTwoFactor',
  'signInWithApp',
  'startPasskeySignIn',
  'signInWithPasskey',
  'startPasskey',
  'addPasskey',
  'startPasskeyProof',
  'removePasskey',
  'startAuthenticator',
  'confirmAuthenticator',
  'renewBackupCodes',
  'stopAuthenticator',
  'stopMailedCodes',
  'endOwnSession',
  'endOtherSessions',
  'confirmPassword',
  'refreshSession',
  'verifyUser', // what an account that is not verified may do with its bots is a standing here; those that are active stay so
  'changeRole',
  'endUserSessions',
  // bots that are stopped and hold nothing: they trade no more
  'archiveBot',
  'bringBackBot',
  'deleteBot',
  // messages to a person
  'addChannel',
  'changeChannel',
  'testChannel',
  'deleteChannel',
  // the installation
  'changeInstallation',
  'invite',
  'withdrawInvitation',
  'retryMail',
  'sendTestMail',
  'setReportMail',
  'testWebhook',
  'testSheet',
  // questions, and what is only said
  'acknowledgeAlarm',
  'acknowledgeAlarms',
  'newSandboxKey',
  'testApiKey',
  'runBacktest',
  'backtestStrategy',
  'startPortfolio',
  'startStudy',
  'cancelStudy',
  'openSeal',
  'removeStudy',
  'cancelBacktest',
  'freeBalance',
  'runDrill',
  'replayDay',
  'addTradeNote',
  // one trade, with what its account holds: nothing is bought, and what is adopted lies there already
  'tryStop',
  'resolveDifference',
  // rules: a save makes a version, which bots take by a press
  'makeRules',
  'saveRules',
  'shareRules',
  'removeRules',
];
