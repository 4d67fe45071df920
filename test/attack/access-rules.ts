import { bulkTexts } from '#contract/bulk.ts';
import { channelTexts } from '#contract/channels.ts';
import { differenceNotFound } from '#contract/differences.ts';
import { texts } from '#contract/errors.ts';
import { hasNoVersions } from '#contract/strategy-files.ts';
import { pairLockNotFound } from '#contract/pair-locks.ts';
import { tradeNotFound } from '#contract/manual-action.ts';
import { noStopToTry } from '#contract/trade-orders.ts';
import { studyTexts } from '#contract/studies.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import type { Route } from '#contract/route.ts';
import type { Caller } from './callers.ts';

/** Whose things a call is about: the caller's, another trader's, or nobody's. */
export type Whose = 'own' | 'other' | 'missing';

/** An answer that a call must get: done as far as access is concerned, or refused with a status and a text. */
export type Expected = 'done' | readonly [status: number, detail: string];

/** Rules about things other than bots, which the access data of the contract does not say. */
const ofOthers: Partial<Record<RouteName, (caller: Caller, whose: Whose) => Expected>> = {
  endOwnSession: (_, whose) => (whose === 'own' ? 'done' : [404, 'Session not found']),
  testApiKey: (_, whose) => (whose === 'own' ? 'done' : [404, 'API key not found']),
  deleteApiKey: (_, whose) => (whose === 'own' ? 'done' : [404, 'API key not found']),
  changeChannel: (_, whose) => (whose === 'own' ? 'done' : [404, channelTexts.notFound]),
  testChannel: (_, whose) => (whose === 'own' ? 'done' : [404, channelTexts.notFound]),
  deleteChannel: (_, whose) => (whose === 'own' ? 'done' : [404, channelTexts.notFound]),
  portfolio: ({ role }, whose) => (whose === 'own' || (whose === 'other' && role === 'admin') ? 'done' : [404, 'Backtest not found']),
  cancelBacktest: ({ role }, whose) =>
    whose === 'own' || (whose === 'other' && role === 'admin') ? [409, 'The backtest has already ended'] : [404, 'Backtest not found'],
  study: (caller, whose) => ofStudy(caller, whose, 'done'),
  cancelStudy: (caller, whose) => ofStudy(caller, whose, [409, studyTexts.ended]),
  openSeal: (caller, whose) => ofStudy(caller, whose, 'done'),
  removeStudy: (caller, whose) => ofStudy(caller, whose, 'done'),
  setUpTwoFactor: (_, whose) => (whose === 'own' ? 'done' : [403, 'You can only set up 2FA for your own account']),
  addApiKey: ({ role }, whose) => {
    if (whose === 'missing') return [404, texts.botNotFound];
    return whose === 'own' || role === 'admin' ? 'done' : [403, texts.noAccessToBot];
  },
  verifyUser: (_, whose) =>
    ({ own: [403, 'Cannot change the verification of an admin user.'], other: 'done', missing: [404, 'User not found'] } as const)[whose],
  changeRole: (_, whose) =>
    ({ own: [403, 'Cannot change the role of an admin user.'], other: 'done', missing: [404, 'User not found'] } as const)[whose],
  endUserSessions: (_, whose) => (whose === 'missing' ? [404, 'User not found'] : 'done'),
  createBot: ({ role }, whose) => (whose === 'own' || role === 'admin' ? 'done' : [403, 'You can only create bots for your own account']),
  // A bot that is not there is among the results.
  changeBots: ({ role }, whose) => (whose !== 'other' || role === 'admin' ? 'done' : [403, bulkTexts.others]),
  investorSummary: ({ role }) => (role === 'admin' ? 'done' : [403, texts.adminRequired]),
  getLimits: (caller, whose) => ofBot(caller, whose),
  changeLimits: (caller, whose) => ofBot(caller, whose),
  listAlarmItems: ({ role }, whose) => (whose === 'own' || (whose === 'other' && role === 'admin') ? 'done' : [404, 'Alarm not found']),
  acknowledgeAlarm: ({ role }, whose) => (whose === 'own' || (whose === 'other' && role === 'admin') ? 'done' : [404, 'Alarm not found']),
  stopTrading: (caller, whose) => ofBot(caller, whose),
  closeAll: (caller, whose) => ofBot(caller, whose),
  reArmTrading: (caller, whose) => ofBot(caller, whose),
  tradeOrders: ({ role }, whose) => {
    if (whose === 'missing') return [404, tradeNotFound];
    return whose === 'own' || role !== 'trader' ? 'done' : [403, texts.noAccessToBot];
  },
  closeTrade: (caller, whose) => ofTrade(caller, whose),
  endPairLock: ({ role }, whose) => (whose === 'own' || (whose === 'other' && role === 'admin') ? 'done' : [404, pairLockNotFound]),
  addToTrade: (caller, whose) => ofTrade(caller, whose),
  takeOutOfTrade: (caller, whose) => ofTrade(caller, whose),
  moveStop: (caller, whose) => ofTrade(caller, whose),
  tryStop: ({ role }, whose) => {
    if (whose === 'missing') return [404, tradeNotFound];
    return whose === 'own' || role === 'admin' ? [409, noStopToTry] : [403, texts.noAccessToBot]; // a paper trade has none
  },
  resolveDifference: ({ role }, whose) => {
    if (whose === 'missing') return [404, differenceNotFound];
    return whose === 'own' || role === 'admin' ? 'done' : [403, texts.noAccessToBot];
  },
  // Rules of others that are not shared are not there for anybody but admins.
  saveRules: ofRules,
  shareRules: ofRules,
  removeRules: ofRules,
  listRuleVersions: ofRules,
  ruleVersion: ofRules,
  candleHistory: () => [404, 'Trading pair not found'],
  whatIfCandles: () => [404, 'Trading pair not found'],
  strategyModule: () => [404, 'Version not found'], // for admins, and a built-in strategy has none
  strategyCode: () => [404, 'Version not found'], // a built-in strategy has none
  takeVersion: ({ role }, whose) => {
    if (whose === 'missing') return [404, texts.botNotFound];
    return whose === 'own' || role === 'admin' ? [409, hasNoVersions] : [403, texts.noAccessToBot];
  },
  setBotStatus: (_, whose) => (whose === 'missing' ? [404, texts.botNotFound] : 'done'),
};

/** A call that names a bot in its body: for its owner and admins. */
function ofBot({ role }: Caller, whose: Whose): Expected {
  if (whose === 'missing') return [404, texts.botNotFound];
  return whose === 'own' || role === 'admin' ? 'done' : [403, texts.noAccessToBot];
}

function ofTrade({ role }: Caller, whose: Whose): Expected {
  if (whose === 'missing') return [404, tradeNotFound];
  return whose === 'own' || role === 'admin' ? 'done' : [403, texts.noAccessToBot];
}

/** Strategies of rules, which nobody has shared. */
function ofRules({ role }: Caller, whose: Whose): Expected {
  return whose === 'own' || (whose === 'other' && role === 'admin') ? 'done' : [404, 'Strategy not found'];
}

/** Calls whose valid input here enters, enlarges, makes, adds, lifts or has the server work: not for whoever is suspended. */
const notWhenSuspended: ReadonlySet<RouteName> = new Set([
  'createBot',
  'bringBackBot',
  'enterByHand',
  'addToTrade',
  'addApiKey',
  'resolveDifference',
  'endPairLock',
  'reArmTrading',
  'runDrill',
  'addChannel',
  'openSeal',
  'replayDay',
]);

/** What a valid call must answer, by the access data of the contract and the standing of the caller. */
export function expectedAnswer(name: RouteName, caller: Caller, whose: Whose): Expected {
  const { who, denied }: Route['access'] = routes[name].access;
  if (who === 'anyone') return 'done';
  if (caller.role === null) return [401, texts.notAuthenticated];
  if (who !== 'all' && !who.includes(caller.role)) return [403, denied ?? texts.adminRequired];
  const allowed = ofRole(name, caller, whose);
  return allowed === 'done' && caller.kind === 'unverified' && notWhenSuspended.has(name) ? [403, texts.notVerified] : allowed;
}

function ofRole(name: RouteName, caller: Caller, whose: Whose): Expected {
  const { bot }: Route['access'] = routes[name].access;
  const rule = ofOthers[name];
  if (rule !== undefined) return rule(caller, whose);
  if (bot === undefined || whose === 'own') return 'done';
  if (whose === 'missing') return [404, texts.botNotFound];
  const mayReach = bot === 'own' ? caller.role === 'admin' : caller.role !== 'trader';
  return mayReach ? 'done' : [403, texts.noAccessToBot];
}

/** Studies of others are not there for anybody but admins. */
function ofStudy({ role }: Caller, whose: Whose, found: Expected): Expected {
  return whose === 'own' || (whose === 'other' && role === 'admin') ? found : [404, studyTexts.notFound];
}
