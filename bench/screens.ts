// Every call that only reads, at an even, modest rate, by an admin and a trader of an installation with 2,000 bots and 200,000
// closed trades, beside 200 running bots.
import type { routes, RouteName } from '#contract/routes.ts';
import { sql } from 'kysely';
import { evenLoad } from './support/even-load.ts';
import { quantile, row } from './support/figures.ts';
import { addLongUse } from './support/many-trades.ts';
import { startProduct } from './support/product.ts';
import { anEndedStudy } from '#storage/testing/a-study.ts';
import { aPlan } from '#storage/testing/a-backtest.ts';

type Reading = { [Name in RouteName]: (typeof routes)[Name]['method'] extends 'GET' ? Name : never }[RouteName];

const times = Number(process.env['TIMES'] ?? 100);
const perSecond = Number(process.env['PER_SECOND'] ?? 3);
const only = process.env['ONLY'];
const [traders, bots, trades, days] = [200, Number(process.env['BOTS'] ?? 2_000), Number(process.env['TRADES'] ?? 200_000), 200];
const dayMs = 86_400_000;
const dayAgo = (n: number): string => new Date(Date.now() - n * dayMs).toISOString().slice(0, 10);

const product = await startProduct({
  bots: 200,
  people: 1,
  others: ['t7@example.com'],
  seed: (db, passwordHash) => addLongUse(db, { traders, bots, trades, days }, passwordHash),
});
try {
  const { url, db } = product;
  const [admin = '', trader = ''] = product.cookies;
  const one = async (statement: ReturnType<typeof sql<{ id: string; symbol: string }>>) =>
    (await statement.execute(db)).rows[0] ?? { id: '', symbol: '' };
  const bot = await one(sql`select b.id, symbols[1] as symbol from bots b join users u on u.id = b.user_id
    where u.email = 't7@example.com' order by status = 'active' desc limit 1`);
  const strategy = await one(sql`select strategy_id as id, '' as symbol from bots limit 1`);
  const user = await one(sql`select id, '' as symbol from users where email = 't7@example.com'`);
  const trade = await one(sql`select id, '' as symbol from trades where bot_id = ${bot.id} order by opened_at desc limit 1`);
  await product.backtestOfAYear();
  await sql`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, progress,
      attempt, metrics, equity, result, created_at, finished_at)
    select user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, progress, attempt, metrics, equity,
      result, created_at - n * interval '1 hour', finished_at - n * interval '1 hour' from backtests, generate_series(1, 200) n`.execute(
    db,
  );
  const facts = {
    certificate: { parts: {}, trades: [], tradesSame: 0, decisions: { recorded: 0, same: 0, failed: 0, ofData: 0, differing: [] } },
    candles: { seen: 0, same: 0, differing: [], candles: 288 },
    versions: [],
    fingerprint: '',
  };
  await sql`
    insert into certificates (bot_id, day, state, mode, currency, promised, made, differing, certificate, replayed_at, took_ms)
    select ${bot.id}::uuid, ${dayAgo(0)}::date - n, 'done', 'paper', 'USDT', 20, 19, 0, ${JSON.stringify(facts)}::jsonb, now(), 40
    from generate_series(1, 120) n on conflict do nothing`.execute(db);
  const backtest = await one(sql`select id, '' as symbol from backtests order by created_at limit 1`);
  const portfolio = await one(sql`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, plan)
    select user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, 'failed', ${JSON.stringify(aPlan)}::jsonb
    from backtests where id = ${backtest.id} returning id, '' as symbol`);
  const { userId, strategyId } = await db.selectFrom('backtests').select(['userId', 'strategyId']).limit(1).executeTakeFirstOrThrow();
  const study = await anEndedStudy(db, { userId, strategyId });

  const ofBot = `bot_id=${bot.id}&symbol=${encodeURIComponent(bot.symbol)}`;
  const wide = { path: '/investor/summary', by: admin };
  /** What is asked of each call; a call that is not here does not compile. */
  const asked: Record<Reading, Record<string, { path: string; by: string; most?: number | null }>> = {
    getMe: { '': { path: '/auth/me', by: admin } },
    getRegistration: { '': { path: '/auth/registration', by: admin } },
    listSessions: { '': { path: '/auth/sessions', by: admin } },
    getSecondFactors: { '': { path: '/auth/second-factors', by: admin } },
    listAudit: {
      '': { path: '/audit', by: admin },
      'of an action': { path: '/audit?action=bot-status', by: admin },
      'of a search': { path: '/audit?search=t7%40', by: admin },
    },
    checkAudit: { '': { path: '/audit/check', by: admin, most: null } }, // reads every record, at the press of a button
    listChannels: { '': { path: '/channels', by: admin } },
    channelBrowserKey: { '': { path: '/channels/browser-key', by: admin } },
    countChannels: { '': { path: '/channels/counts', by: admin } },
    listMails: { '': { path: '/mails', by: admin }, sent: { path: '/mails?state=sent', by: admin } },
    systemLive: { '': { path: '/system/live', by: admin } },
    systemStatus: { '': { path: '/system/status', by: admin } },
    liveStatus: {
      'of all': { path: '/status/live', by: admin },
      'of all, fleet': { path: '/status/live?fleet=true', by: admin },
      'of all, history': { path: '/status/live?history=true', by: admin },
      'of all, last hour': { path: '/status/live?hour=true', by: admin },
      'of one trader, fleet': { path: '/status/live?fleet=true', by: trader },
      'of one trader, history': { path: '/status/live?history=true', by: trader },
    },
    chartCandles: { '': { path: `/chart/candles?${ofBot}`, by: trader } },
    chartOverlays: { '': { path: `/chart/overlays?${ofBot}`, by: trader } },
    availableBots: { 'of all': { path: '/metrics/available-bots', by: admin }, 'of one': { path: '/metrics/available-bots', by: trader } },
    availablePairs: { '': { path: `/metrics/available-pairs?bot_id=${bot.id}`, by: trader } },
    orderMetrics: { '': { path: `/metrics/orders?${ofBot}`, by: trader } },
    pnlMetrics: {
      'a day': { path: `/metrics/pnl?${ofBot}&range=daily`, by: trader },
      'a year': { path: `/metrics/pnl?${ofBot}&range=yearly`, by: trader },
    },
    getSetting: { '': { path: '/settings/server_config', by: admin } },
    listUsers: { '': { path: '/settings/users', by: admin } },
    getInstallation: { '': { path: '/installation', by: admin } },
    listInvitations: { '': { path: '/invitations', by: admin } },
    listStrategyFiles: { '': { path: '/strategy-files', by: admin } },
    listRules: { '': { path: '/rules', by: admin } },
    listRuleVersions: {}, // the strategies of the measurement are part of the program
    ruleVersion: {},
    candleHistory: {}, // downloads
    whatIf: { 'of a bot': { path: `/what-if?bot=${bot.id}`, by: trader } },
    whatIfCandles: {}, // downloads
    strategyModule: {}, // the strategies of the measurement are part of the program
    strategyCode: {}, // the strategies of the measurement are part of the program
    listStrategies: { '': { path: '/strategies', by: admin } },
    listStrategyVersions: { '': { path: `/strategies/${strategy.id}/versions`, by: admin } },
    strategyPerformance: { '': { path: `/strategies/${strategy.id}/performance`, by: trader } },
    strategyDetails: { '': { path: `/strategies/${strategy.id}/details`, by: trader } },
    strategyBots: { '': { path: `/strategies/${strategy.id}/bots`, by: admin } },
    listExchanges: { '': { path: '/exchanges', by: admin } },
    stakeCurrencies: { '': { path: '/exchanges/sandbox/stake_currencies?market_type=spot', by: admin } },
    tradingPairs: { '': { path: '/exchanges/sandbox/trading_pairs?market_type=spot', by: admin } },
    listBots: { 'of all': { path: '/bots', by: admin }, 'of one trader': { path: '/bots', by: trader } },
    listArchivedBots: { '': { path: '/archived-bots', by: admin } },
    getBot: { '': { path: `/bots/${bot.id}`, by: trader } },
    listBotVersions: { '': { path: `/bots/${bot.id}/versions`, by: trader } },
    liveCheck: { '': { path: `/bots/${bot.id}/live-check`, by: trader } },
    botTrades: { '': { path: `/bots/${bot.id}/trades`, by: trader } },
    listPairLocks: { '': { path: `/bots/${bot.id}/pair-locks`, by: trader } },
    manualActions: { '': { path: `/bots/${bot.id}/manual-actions`, by: trader } },
    botDecisions: { 'of a day': { path: `/bots/${bot.id}/decisions`, by: trader } },
    botDecisionMarks: { 'of a day': { path: `/bots/${bot.id}/decision-marks?symbol=${encodeURIComponent(bot.symbol)}`, by: trader } },
    newestCertificates: { '': { path: '/certificates', by: trader } },
    botCertificates: { '': { path: `/bots/${bot.id}/certificates`, by: trader } },
    botCertificate: { '': { path: `/bots/${bot.id}/certificates/${dayAgo(1)}`, by: trader } },
    certificatePdf: { '': { path: `/bots/${bot.id}/certificates/${dayAgo(1)}/pdf`, by: trader, most: null } },
    botPnl: { '': { path: `/bots/${bot.id}/pnl`, by: trader } },
    backtestResults: {
      'of all': { path: '/backtest/results', by: admin },
      'one in full': { path: `/backtest/results?id=${backtest.id}`, by: admin },
    },
    listPortfolios: { 'of all': { path: '/portfolios', by: admin } },
    listStudies: { 'of all': { path: '/studies', by: admin } },
    study: { 'one in full': { path: `/studies/${study}`, by: admin } },
    portfolio: { 'one in full': { path: `/portfolios/${portfolio.id}`, by: admin } },
    fundOverview: { '': { path: '/fund-overview', by: admin, most: 300 } },
    investorSummary: {
      'of all': wide,
      'of all, live': { ...wide, path: `${wide.path}?mode=live` },
      'of all, 100 days': { ...wide, path: `${wide.path}?start=${dayAgo(150)}&end=${dayAgo(50)}` },
      'of all, a week': { ...wide, path: `${wide.path}?start=${dayAgo(7)}` },
      'of one, for an admin': { ...wide, path: `${wide.path}?trader_id=${user.id}` },
      'of one, for the trader': { ...wide, by: trader },
    },
    profits: {
      'of all, by pair': { path: '/profits?group=pair', by: admin, most: 300 },
      'of all, a month by bot': { path: `/profits?group=bot&from=${dayAgo(30)}`, by: admin },
      'of one trader, by day': { path: '/profits?group=day', by: trader, most: 300 },
    },
    fundMonth: { '': { path: `/profits/fund?month=${dayAgo(0).slice(0, 7)}`, by: admin, most: 300 } },
    profitStatement: { 'of one trader': { path: `/profits/statement?month=${dayAgo(0).slice(0, 7)}`, by: trader, most: null } }, // drawn at the press of a button
    listApiKeys: { '': { path: '/api-keys', by: trader } },
    listTrades: {
      'all modes': { path: '/trades', by: admin },
      live: { path: '/trades?mode=live', by: admin },
      testnet: { path: '/trades?mode=testnet', by: admin },
    },
    tradeOrders: { '': { path: `/trades/${trade.id}/orders`, by: trader } },
    report: { 'of all': { path: `/reports/${dayAgo(1)}`, by: admin }, 'of one trader': { path: `/reports/${dayAgo(1)}`, by: trader } },
    reportTrades: { '': { path: `/reports/${dayAgo(1)}/trades`, by: admin } },
    getTradingState: { '': { path: '/trading-state', by: admin } },
    followStatus: {}, // held open; each of its parts is asked for by its own call
    pulse: { '': { path: '/pulse', by: admin } },
    getLimits: { 'of the server': { path: '/limits?level=server', by: admin } },
    listDifferences: { '': { path: '/differences', by: admin } },
    listLiveAccounts: { '': { path: '/live-accounts', by: admin } },
    listAlarms: { '': { path: '/alarms', by: admin } },
    listAlarmItems: {}, // read when a person asks for it, and a thousand at most
    getReportMail: { '': { path: '/report-mail', by: admin } },
    reportPdf: { 'of all': { path: `/reports/${dayAgo(1)}/pdf`, by: admin, most: null } },
  };
  const calls = Object.entries(asked)
    .flatMap(([name, cases]) => Object.entries(cases).map(([which, call]) => ({ name: `${name} ${which}`.trim(), most: 150, ...call })))
    .filter(({ name }) => only === undefined || new RegExp(only, 'u').test(name));
  const requests = calls.map(({ path, by }) => ({ path: `/api${path}`, headers: { cookie: by, 'accept-encoding': 'gzip' } }));

  const load = (rounds: number) => evenLoad({ url, requests, connections: 30, perSecond, seconds: (rounds * requests.length) / perSecond });
  await load(3); // what is loaded once, and what is compiled
  const { byRequest, refusals } = await load(times);
  // Of calls one after the other, so that it is known which of them it was; it depends less on what else the machine does.
  const cost = async ({ path, headers }: (typeof requests)[number]): Promise<string> => {
    const alone = 10;
    await product.measured('web');
    const before = product.databaseCpuMs();
    for (let i = 0; i < alone; i++) await (await fetch(url + path, { headers })).arrayBuffer();
    const database = product.databaseCpuMs() - before;
    const { cpuMs } = await product.measured('web');
    return `${Math.round(cpuMs / alone)} + ${Math.round(database / alone)} ms`;
  };
  const missed: string[] = [];
  for (const [i, { name, most }] of calls.entries()) {
    const took = byRequest[i] ?? [];
    const [p50, p99, longest] = [quantile(took, 0.5), quantile(took, 0.99), Math.max(...took)].map(Math.round);
    const isMissed = refusals.has(i) || (most !== null && p99 > most);
    if (isMissed) missed.push(name);
    row(
      `${isMissed ? 'MISSED ' : ''}${name}`,
      refusals.has(i) ? `answered ${refusals.get(i)}` : `${p50} / ${p99} / ${longest} ms`,
      `${most === null ? 'no promise' : `p99 under ${most} ms`}; processor time of web + database ${requests[i] === undefined ? '' : await cost(requests[i])}`,
    );
  }
  row('missed', String(missed.length), 'none');
} finally {
  await product.stop();
}
