import type { TimeInForce } from '#engine/ports/trading.ts';
import type { OrderState } from '#engine/account/order-life.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import type { Moments } from '#engine/lab/judgement/moments.ts';
import type { StudyGround, StudyJudgement, StudySearch, StudyStatus } from '#engine/lab/study-record.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import type { LimitName } from '#engine/risk/limit.ts';
import type { TradingState } from '#engine/bot/event.ts';
import type { ColumnType, Generated } from 'kysely';

/** Exact decimal: a string out of the database, a string or number into it. */
export type Decimal = ColumnType<string, string | number, string | number>;
type DecimalOrNull = ColumnType<string | null, string | number | null | undefined, string | number | null>;
type Time = ColumnType<Date, Date, Date>;
type TimeOrNull = ColumnType<Date | null, Date | null | undefined, Date | null>;
type TimeByDefault = ColumnType<Date, Date | undefined, Date>;
/** JSON: parsed on the way out, text on the way in (an array given as it is would become an SQL array). */
type Json<T> = ColumnType<T, string, string>;
type JsonByDefault<T> = ColumnType<T, string | undefined, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null | undefined, string | null>;
type BigIntByDefault = ColumnType<string, number | string | undefined, number | string>;

/** A secret as the vault seals it; storage does not look inside. */
export type Sealed = Readonly<Record<string, string | number>>;

/** What a channel can be about. */
export type ChannelTopic = 'trade-opened' | 'trade-closed' | 'stop-missing' | 'runner-lost' | 'bot-paused' | 'day-sum';

/** The tables, by name; columns in camel case. */
export interface Schema {
  users: {
    id: Generated<string>;
    email: string; // as it was typed; mails go there
    emailKey: string; // see email-key.ts
    displayName: string;
    passwordHash: string;
    role: 'investor' | 'trader' | 'operator' | 'admin';
    verified: Generated<boolean>;
    emailVerified: Generated<boolean>;
    has2fa: Generated<boolean>; // some second factor
    mailedCodes: Generated<boolean>; // a mailed code is one, where there is one
    passwordResetAt: TimeOrNull;
    verificationDecidedAt: TimeOrNull; // the mailbox was first confirmed, or an admin has decided; null: neither yet
    secondFactorMisses: Generated<number>; // since the last right one
    createdAt: TimeByDefault;
    updatedAt: TimeByDefault;
  };
  sessions: {
    id: Generated<string>;
    userId: string;
    startedAt: Time;
    authenticatedAt: Time;
    lastSeenAt: Time;
    endsAt: Time;
    revokedAt: TimeOrNull;
    revokedWhy: string | null;
    address: string | null;
    device: string | null; // 'Firefox on Linux'
  };
  sessionTokens: {
    hash: Buffer;
    sessionId: string;
    accessUntil: Time;
    refreshUntil: Time;
    replacedAt: TimeOrNull;
    successor: Buffer | null;
  };
  halfLogins: { hash: Buffer; userId: string; expiresAt: Time };
  codes: {
    id: Generated<string>;
    emailKey: string;
    userId: string | null; // null: nobody has this address
    holder: Generated<string>; // the half login, session or browser that may enter it; '' for codes of an address
    purpose: 'verification' | 'reset' | 'two-factor-login' | 'two-factor-set-up';
    salt: Buffer;
    hash: Buffer;
    createdAt: Time;
    expiresAt: Time;
    tries: Generated<number>;
    closedAt: TimeOrNull;
  };
  limitCounters: { key: string; count: number; resetsAt: Time };
  idempotencyKeys: {
    caller: string;
    call: string;
    key: string;
    bodyHash: Buffer;
    status: number | null;
    reply: string | null;
    cookies: string[] | null;
    expiresAt: Time;
  };
  auditLog: {
    id: Generated<string>;
    time: TimeByDefault;
    actorId: string | null;
    actorRole: string | null;
    action: string;
    target: string | null;
    address: string | null;
    requestId: string | null;
    result: string;
    detail: JsonByDefault<Record<string, unknown>>;
    previousHash: Buffer | null;
    hash: Buffer;
    hashVersion: Generated<number>;
  };
  mailOutbox: {
    id: Generated<string>;
    recipient: string;
    subject: string;
    body: string;
    attachment: Buffer | null; // a file that goes with it
    attachmentName: string | null;
    createdAt: TimeByDefault;
    dueAt: TimeByDefault;
    tries: Generated<number>;
    sentAt: TimeOrNull;
    lastError: string | null;
  };
  strategies: {
    id: Generated<string>;
    className: string;
    name: string;
    description: string;
    supportedExchanges: string[];
    defaultTimeframe: string;
    stoploss: Decimal;
    trailingStop: boolean;
    trailingStopPositive: DecimalOrNull;
    trailingStopPositiveOffset: DecimalOrNull;
    trailingOnlyOffsetIsReached: boolean;
    maxConsecutiveLosses: Generated<number>;
    riskRewardRatio: DecimalOrNull;
    minimalRoi: Json<Record<string, number>>;
    orderTypes: Json<Record<string, 'limit' | 'market'>>;
    orderTimeInForce: Json<Record<string, 'GTC' | 'IOC' | 'FOK'>>;
    webhook: JsonOrNull<Sealed>;
    sheetsKey: JsonOrNull<Sealed>;
    webhookResult: JsonOrNull<{ at: string; error: string | null }>; // of the last message
    sheetResult: JsonOrNull<{ at: string; error: string | null }>; // of the last row
    position: number;
    updatedAt: TimeByDefault;
    version: Generated<number>; // of its settings
    signalsFrom: TimeOrNull; // as of a bot, for bots that inherit the timeframe
    kind: Generated<'built-in' | 'rules' | 'file'>;
    ownerId: Generated<string | null>; // of rules
    isShared: Generated<boolean>;
    removedAt: TimeOrNull; // of rules that their maker has taken away: nothing lists or uses them
  };
  strategyFiles: {
    path: string;
    state: 'ready' | 'refused' | 'gone';
    faults: string[];
    hash: string | null;
    strategies: string[];
    computeMs: number | null;
    memoryMb: number | null;
    checkedAt: Time;
  };
  strategyCode: {
    id: Generated<string>;
    strategyId: string;
    number: number;
    hash: string; // of what runs
    file: string | null;
    exportName: string | null;
    files: JsonOrNull<Record<string, string>>;
    document: JsonOrNull<Record<string, unknown>>;
    description: Json<Record<string, unknown>>; // what it says of itself
    madeBy: string | null;
    madeAt: TimeByDefault;
  };
  strategyVersions: {
    strategyId: string;
    version: number;
    changedBy: string | null;
    changedAt: TimeByDefault;
    settings: Json<Record<string, unknown>>;
  };
  apiKeys: {
    id: Generated<string>;
    userId: string;
    exchangeId: string;
    label: string | null;
    keyHint: string;
    hasPassphrase: Generated<boolean>;
    sealed: Json<Sealed>;
    keyMark: Generated<string | null>; // by which two are recognized as the same key; null until a runner has opened it
    createdAt: TimeByDefault;
    lastUsedAt: TimeOrNull;
    checkedAt: TimeOrNull;
    checkResult: 'ok' | 'refused' | 'unreachable' | null;
    checkAskedAt: TimeOrNull; // a runner is to ask the exchange again
    checkTakenAt: TimeOrNull; // a runner is asking
    canTrade: boolean | null; // null: the exchange does not say
    canWithdraw: boolean | null;
    isIpBound: boolean | null;
  };
  accountBalances: {
    apiKeyId: string;
    marketType: 'spot' | 'margin' | 'futures';
    currency: string;
    askedAt: TimeOrNull; // a runner is to ask the exchange
    takenAt: TimeOrNull; // a runner is asking
    readAt: TimeOrNull;
    free: DecimalOrNull; // null: the newest reading has failed
    failure: 'refused' | 'rejected' | 'unreachable' | 'unopened' | null;
  };
  runners: {
    id: string;
    host: string;
    exchanges: Generated<string[]>;
    takesLive: Generated<'off' | 'sandbox' | 'on'>; // whose live bots it can run
    mostBots: Generated<number>; // it holds no more than so many
    exchangeFigures: JsonByDefault<Record<string, { offsetMs: number | null; used: number | null }>>; // by exchange
    startedAt: TimeByDefault;
    expiresAt: Time;
    serverStartedAt: TimeByDefault; // the start of the database server at which the lease was taken; no lease outlives it
  };
  bots: {
    id: Generated<string>;
    userId: string;
    strategyId: string;
    codeId: Generated<string | null>; // the version of what runs; null for what is part of the program
    nickname: string;
    exchangeId: string;
    marketType: 'spot' | 'margin' | 'futures';
    stakeCurrency: string;
    stakeAmount: Decimal;
    symbols: string[];
    maxOpenTrades: number;
    leverage: Decimal;
    leverageMode: 'isolated' | 'cross';
    mode: Generated<'paper' | 'live'>;
    status: Generated<'active' | 'paused' | 'stopped'>;
    startingBalance: Decimal;
    consecutiveLosses: Generated<number>;
    apiKeyId: string | null;
    ownSettings: JsonByDefault<OwnSettings>; // in place of its strategy's
    signalsFrom: TimeOrNull; // candles count that open after this; null: all
    engineState: JsonByDefault<Record<string, unknown>>;
    runnerId: string | null;
    givenUpBy: string | null; // the runner that could not run it
    epoch: BigIntByDefault;
    createdAt: TimeByDefault;
    updatedAt: TimeByDefault;
    version: Generated<number>; // of its settings
    tags: Generated<string[]>; // words its people find it by
    archivedAt: TimeOrNull; // put away: stopped, and nothing lists or runs it
  };
  reportReaders: { userId: string; lastDay: string }; // lastDay: YYYY-MM-DD, the newest they have had
  tradeMessages: {
    id: Generated<string>;
    strategyId: string;
    kind: 'chat' | 'sheet';
    text: string | null; // for a chat
    cells: JsonOrNull<(string | number)[]>; // for a spreadsheet: one row
    createdAt: TimeByDefault;
    dueAt: TimeByDefault;
    tries: Generated<number>;
    number: ColumnType<string, never, never>; // in the sequence in which they were written
  };
  authenticators: {
    id: string;
    userId: string;
    sealed: Json<Sealed>;
    createdAt: Time;
    confirmedAt: TimeOrNull; // null: no code of it was entered yet
    lastStep: number | null; // the half minute of the newest code that was used
  };
  backupCodes: {
    authenticatorId: string;
    hash: Buffer;
    madeAt: Time;
    usedAt: TimeOrNull;
  };
  passkeys: {
    id: string;
    userId: string;
    name: string;
    credentialId: Buffer;
    publicKey: Buffer; // in COSE, as the passkey gave it
    transports: string[]; // how browsers reach it
    counter: ColumnType<string, number, number>; // of its signatures
    addedAt: Time;
    lastUsedAt: TimeOrNull;
  };
  passkeyChallenges: {
    challenge: Buffer;
    purpose: 'sign-in' | 'add' | 'prove';
    halfLogin: Buffer | null;
    sessionId: string | null;
    expiresAt: Time;
  };
  passkeyBackupCodes: {
    userId: string;
    hash: Buffer;
    madeAt: Time;
    usedAt: TimeOrNull;
  };
  channels: {
    id: string;
    userId: string;
    kind: 'telegram' | 'discord' | 'slack' | 'ntfy' | 'webhook' | 'browser';
    name: string;
    hint: string; // the last four characters of what is sealed
    sealed: Json<Sealed>;
    topics: ChannelTopic[];
    quietFrom: number | null; // minute of the day in `quietZone`
    quietUntil: number | null;
    quietZone: Generated<string>;
    breaksQuiet: Generated<boolean>; // alarms do
    createdAt: TimeByDefault;
    pausedAt: TimeOrNull;
    pausedWhy: 'person' | 'gone' | 'role' | 'suspended' | null;
    dueAt: TimeByDefault; // not before this: a try is under way, or one has failed
    restsUntil: TimeByDefault; // what is not urgent is collected meanwhile
    tries: Generated<number>; // that have failed since the last delivery
    sentAt: TimeOrNull;
    failedAt: TimeOrNull;
    error: string | null;
    givenUp: Generated<number>;
    givenUpAt: TimeOrNull;
    summedDay: string; // the newest UTC day whose sum was left
  };
  channelMessages: {
    id: Generated<string>;
    number: ColumnType<string, never, never>; // in the sequence in which they were written
    channelId: string;
    botId: string | null;
    topic: ChannelTopic;
    text: string;
    createdAt: TimeByDefault;
    dueAt: TimeByDefault; // later when it waits for the end of quiet hours
    batch: string | null; // sent together, and again together
  };
  traderSums: {
    userId: string;
    unit: 'day' | 'month';
    start: string; // YYYY-MM-DD
    mode: 'paper' | 'live' | 'testnet';
    trades: number;
    wins: number;
    notes: number;
    latencySum: string;
    latencyCount: number;
    profit: string; // dollars, as the three below
    high: string; // the highest that the running profit came to; 0 at the beginning
    low: string;
    fall: string; // its largest, from an earlier peak
    daily: string; // see trader-sums.ts
  };
  profitSums: {
    part: 'day' | 'bot' | 'pair' | 'strategy' | 'version' | 'tag' | 'reason' | 'account';
    userId: string;
    start: string; // YYYY-MM-DD: the day of part 'day', else the first of the month
    mode: 'paper' | 'live' | 'testnet';
    currency: string;
    key: string;
    trades: number;
    wins: number;
    losses: number;
    profit: string;
    fees: string;
    funding: string;
  };
  traderSumsUntil: { userId: string; until: string; currencies: string[] };
  botVersions: {
    botId: string;
    version: number;
    changedBy: string | null;
    changedAt: TimeByDefault;
    settings: Json<Record<string, unknown>>;
  };
  trades: {
    id: string;
    botId: string;
    symbol: string;
    direction: 'long' | 'short';
    mode: 'paper' | 'live' | 'testnet';
    status: 'open' | 'closed' | 'cancelled' | 'failed';
    openedAt: Time;
    closedAt: TimeOrNull;
    amount: Decimal;
    stake: Decimal;
    leverage: Decimal;
    entryPrice: DecimalOrNull;
    exitPrice: DecimalOrNull;
    stopPrice: DecimalOrNull;
    initialStopPrice: DecimalOrNull;
    liquidationPrice: DecimalOrNull;
    fees: ColumnType<string, string | number | undefined, string | number>;
    funding: ColumnType<string, string | number | undefined, string | number>;
    profit: DecimalOrNull;
    profitRatio: DecimalOrNull;
    entryTag: string | null;
    exitReason: string | null;
    confidence: DecimalOrNull;
    latencyMs: DecimalOrNull;
    note: string | null;
    engineState: JsonByDefault<Record<string, unknown>>;
    stopMoves: JsonByDefault<{ time: number; price: number }[]>; // oldest first
    closeAskedAt: TimeOrNull; // a person wants it closed at market; its bot does it
    stopAskedAt: TimeOrNull; // a person wants its stop tried now
    stopAskedAfter: string | null; // the failed stop whose pause is to be skipped, by its client order id
    heldElsewhere: DecimalOrNull; // what its account does not hold, because a person said so; its bot books it
    heldElsewhereAt: TimeOrNull;
    botVersion: number | null; // the settings it was made under; null: of before they were kept
    strategyVersion: number | null;
    accountId: ColumnType<string | null, never, never>; // the key it was made with, which may be gone; null: simulated, or not known
    importedFrom: 'freqtrade' | null; // the program that made it; null: a bot of ours
    updatedAt: TimeByDefault;
  };
  importedKeys: {
    key: string; // what a trade is called in the program that made it
    botId: string; // whose history it is
    isTaken: boolean; // false: it was still open there
  };
  orders: {
    id: Generated<string>;
    botId: string;
    tradeId: string;
    epoch: ColumnType<string, number | string, number | string>;
    clientOrderId: string;
    signalKey: string; // what it comes of; one order for each, and another when that one ended without a fill
    purpose: 'entry' | 'exit' | 'adjust' | 'stop';
    side: 'buy' | 'sell';
    type: 'limit' | 'market' | 'stop';
    timeInForce: Generated<TimeInForce>;
    requested: Decimal; // never changes
    attempt: Generated<number>; // how often it was sent
    price: DecimalOrNull;
    stopPrice: DecimalOrNull;
    reason: string | null;
    status: OrderState;
    exchangeOrderId: string | null;
    filled: ColumnType<string, string | number | undefined, string | number>;
    averagePrice: DecimalOrNull;
    plannedAt: Time;
    sentAt: TimeOrNull;
    acknowledgedAt: TimeOrNull;
    closedAt: TimeOrNull;
    expiresAt: TimeOrNull; // the exchange does not take the newest attempt after this time
    refusal: string | null; // what the exchange said no with
  };
  orderEvents: {
    id: Generated<string>;
    orderId: string;
    at: TimeByDefault;
    state: OrderState;
    detail: string | null;
  };
  fills: {
    id: Generated<string>;
    orderId: string;
    exchangeFillId: string;
    price: Decimal;
    amount: Decimal;
    fee: Decimal;
    feeCurrency: string;
    feeQuote: DecimalOrNull; // the fee's value in quote currency; null while the price of its currency is not known
    isMaker: boolean;
    filledAt: Time;
  };
  botFigures: {
    botId: string;
    mode: 'paper' | 'live' | 'testnet';
    trades: Generated<number>;
    wins: Generated<number>;
    losses: Generated<number>;
    realizedPnl: ColumnType<string, string | number | undefined, string | number>;
    fees: ColumnType<string, string | number | undefined, string | number>;
    peakBalance: Decimal;
    maxDrawdown: ColumnType<string, string | number | undefined, string | number>;
    maxDrawdownRatio: ColumnType<string, string | number | undefined, string | number>;
    lastTradeAt: TimeOrNull;
    day: ColumnType<string | null, string | null | undefined, string | null>; // YYYY-MM-DD, of the newest closed trade
    dayProfit: ColumnType<string, string | number | undefined, string | number>; // of the trades closed on it
    importedTrades: Generated<number>; // in addition to `trades`, as the next four to theirs
    importedWins: Generated<number>;
    importedLosses: Generated<number>;
    importedPnl: ColumnType<string, string | number | undefined, string | number>;
    importedFees: ColumnType<string, string | number | undefined, string | number>;
    importedUntil: TimeOrNull; // when the newest was closed
  };
  botCapitals: {
    botId: string;
    mode: 'paper' | 'live' | 'testnet';
    since: Time;
    currency: string;
    capital: Decimal;
  };
  outsideSales: {
    tradeId: string;
    wish: string; // the id of the fill that books it
    accountId: string;
    marketType: string;
    symbol: string;
    exchangeFillId: string;
    amount: Decimal; // base currency, of that fill
  };
  botVitals: {
    botId: string;
    lastTickAt: Time;
    openTrades: number;
    unrealizedPnl: Decimal;
    lastError: string | null;
    strategyRest: Generated<string | null>; // why its strategy is asked nothing
  };
  decisions: {
    botId: string;
    symbol: string;
    candleTime: Time;
    action: string;
    gate: string | null;
    seen: Json<Record<string, unknown>>;
    decidedAt: Time;
  };
  certificates: {
    botId: string;
    day: string; // YYYY-MM-DD
    state: Generated<'waiting' | 'replaying' | 'done' | 'failed'>;
    askedAt: TimeByDefault;
    askedBy: string | null; // null: made by night
    leaseUntil: TimeOrNull; // while it is replaying
    claimedAt: TimeOrNull; // when a process last took it: turns among people go by this
    tries: Generated<number>;
    why: string | null; // of one that failed
    retryAt: TimeOrNull; // of one that failed for a reason that may pass
    mode: string | null; // of the trades; this and what follows is of the newest replay that ended well
    currency: string | null;
    promised: DecimalOrNull;
    made: DecimalOrNull;
    differing: number | null; // decisions
    certificate: JsonOrNull<Record<string, unknown>>;
    replayedAt: TimeOrNull;
    tookMs: number | null;
  };
  decisionHours: {
    botId: string;
    symbol: string;
    hour: Time; // of the candles' opening
    candles: number;
    signals: number;
    entered: number;
    nearest: Json<Record<string, unknown>> | null;
  };
  pnlSnapshots: {
    botId: string;
    mode: string;
    takenAt: Time;
    netPnl: Decimal;
    netPnlPct: Decimal;
    unrealizedPnl: Decimal;
    realizedPnl: Decimal;
    totalFees: Decimal;
    winRate: Decimal;
    currentBalance: Decimal;
  };
  backtests: {
    id: Generated<string>;
    userId: string;
    strategyId: string;
    codeId: Generated<string | null>; // as of a bot
    exchangeId: string;
    symbol: string;
    tradingMode: string;
    timeframe: string;
    days: number;
    stakeAmount: Decimal;
    maxOpenTrades: number;
    bot: JsonOrNull<BotOfBacktest>; // whose settings it runs with; null: those of its strategy
    plan: JsonOrNull<PortfolioPlan>; // of a run over several pairs
    status: 'downloading' | 'running' | 'done' | 'failed';
    progress: ColumnType<string, string | number | undefined, string | number>;
    step: Generated<string>; // what is being done in words, e.g. 'Loading candles'
    phaseStartedAt: TimeOrNull; // of what `status` names
    cancelled: Generated<boolean>; // a failed run that somebody has ended
    attempt: Generated<number>; // which try of its job works on it: writes of earlier ones no longer count
    error: string | null;
    metrics: JsonOrNull<Record<string, unknown>>;
    equity: JsonOrNull<unknown[]>;
    result: JsonOrNull<Record<string, unknown>>;
    createdAt: TimeByDefault;
    finishedAt: TimeOrNull;
    detailsRemovedAt: TimeOrNull; // when its equity and result were
  };
  studies: {
    id: Generated<string>;
    userId: string;
    strategyId: string;
    codeId: string | null; // as of a backtest
    strategyName: string; // as it was called when it began
    exchangeId: string;
    plan: Json<PortfolioPlan>; // over which pairs and time, with what money
    bot: JsonOrNull<BotOfBacktest>; // whose settings it begins with; null: those of its strategy
    search: Json<StudySearch>;
    status: Generated<StudyStatus>;
    step: Generated<string>; // what is being done before there are epochs, in words
    error: string | null;
    ground: JsonOrNull<StudyGround>; // what all epochs run on; null until a worker has found it
    epochs: Generated<number>; // that count: 1 to this one
    bestEpoch: Generated<number>; // 0: none yet
    bestMoments: JsonOrNull<Moments>; // of its daily profits
    judgement: JsonOrNull<StudyJudgement>;
    unsealedAt: TimeOrNull;
    unsealedBy: string | null;
    unsealedEpoch: number | null;
    unsealed: JsonOrNull<EpochFigures>; // of that epoch on the sealed time
    claimedBy: string | null; // the worker at work on what concerns the whole
    claimedUntil: TimeOrNull;
    attempts: Generated<number>; // how often workers have taken it since the last that came to an end
    createdAt: TimeByDefault;
    startedAt: TimeOrNull; // its first batches
    finishedAt: TimeOrNull;
  };
  studyBatches: {
    studyId: string;
    number: number; // from 0 on
    firstEpoch: number;
    points: Json<(readonly number[])[]>;
    claimedBy: string | null; // a worker
    claimedAt: TimeOrNull;
    claimedUntil: TimeOrNull;
    attempts: Generated<number>;
    losses: number[] | null; // Infinity where there is none; null until its epochs were run
    daily: Buffer | null; // see `dailyBytes`
  };
  studyEpochs: {
    studyId: string;
    epoch: number; // from 1 on
    point: number[];
    loss: number | null;
    figures: JsonOrNull<EpochFigures>;
    fault: string | null;
  };
  studyTries: {
    studyId: string; // which may have been removed
    strategyName: string;
    timeframe: string;
    pairs: string[];
    fromTime: Time;
    toTime: Time;
    count: Generated<number>;
    mean: Generated<number>;
    squares: Generated<number>;
  };
  candleChunks: {
    exchangeId: string;
    marketType: string;
    symbol: string;
    timeframe: string;
    month: ColumnType<string, string, string>;
    covered: string; // e.g. {["2026-03-01 00:00:00+00","2026-04-01 00:00:00+00")}
    candles: number;
    hash: Buffer;
    data: Buffer;
  };
  fundingEvents: { exchangeId: string; symbol: string; time: Date; rate: number; mark: number };
  fundingSpans: { exchangeId: string; symbol: string; covered: string };
  facts: { key: string; value: Json<unknown> };
  tradingStates: {
    level: 'server' | 'user' | 'bot';
    userId: string | null; // of the level user
    botId: string | null; // of the level bot
    state: TradingState;
    isImposed: boolean; // by somebody other than the owner: only an admin gives it up
    setBy: string | null; // null: the account is gone, or a limit has set it
    setAt: TimeByDefault;
    reason: Generated<'person' | 'daily-loss' | 'drawdown' | 'difference'>;
    closeAllAt: TimeOrNull; // a person has asked for all open trades to be closed; only while halted
    reasonAt: TimeOrNull; // when the newest further reason came behind it since it was set
  };
  limits: {
    level: 'server' | 'user' | 'bot';
    userId: string | null; // of the level user
    botId: string | null; // of the level bot
    name: LimitName;
    currency: string; // of an amount of a user or the server; else empty
    value: Decimal;
    setBy: string | null;
    setAt: TimeByDefault;
    isCeiling: Generated<boolean>; // imposed by an administrator; the owner's value stays at or below it
  };
  alarms: {
    id: Generated<string>;
    key: string; // what it is about: one open alarm of each
    kind: string;
    level: 'server' | 'user' | 'bot';
    userId: string | null; // of the level user
    botId: string | null; // of the level bot
    facts: Json<Record<string, unknown>>;
    raisedAt: TimeByDefault;
    notedAt: TimeOrNull; // people were informed, or need not be
    mailedAt: TimeOrNull;
    acknowledgedAt: TimeOrNull;
    acknowledgedBy: string | null;
    endedAt: TimeOrNull;
  };
  alarmItems: {
    alarmId: string;
    detail: string; // e.g. the order
    facts: Json<Record<string, unknown>>;
    raisedAt: TimeByDefault;
  };
  installationSettings: {
    onlyRow: Generated<boolean>;
    version: number; // one more with every change
    requireTwoFactor: 'off' | 'admins' | 'all';
    registration: 'open' | 'closed' | 'invitation';
    sharedBotList: boolean;
    sessionIdleMinutes: number;
    sessionLifeMinutes: number;
    senderName: string; // empty: the default
    senderAddress: string; // likewise
  };
  invitations: {
    id: Generated<string>;
    email: string; // as it was typed; the mail went there
    emailKey: string; // see email-key.ts
    role: 'investor' | 'trader' | 'operator';
    codeHash: Buffer;
    invitedBy: string | null;
    createdAt: Time;
    expiresAt: Time;
    usedAt: TimeOrNull;
    withdrawnAt: TimeOrNull;
  };
}
