import { stoppedByAdmin, switchSetAgain, tradingStates } from '#contract/trading-states.ts';
import type { TradingState } from '#engine/bot/event.ts';
import { alarmSubject } from '#mail/alarm-mails.ts';
import { alarmWords, type AlarmWords } from '#mail/alarm-words.ts';
import { mails } from '#mail/texts.ts';
import type { Database } from '#storage/database.ts';
import { endAlarms, raiseAlarm } from '#storage/alarms/alarms.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import type { Affected, NamedSwitch, TradingSwitch, TradingTarget } from '#storage/trading/trading-states.ts';
import { affectedBy, listSwitches, lockSwitch, seenAs, setSwitch } from '#storage/trading/trading-states.ts';
import { audit } from '../audit/audit.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { closingAll } from './closing-all.ts';
import type { Call, Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import { noticeSwitch } from './switch-notice.ts';
import { lockTarget } from './lock-target.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** The kill switch of bots, users and the server. */
export function tradingStateHandlers({ db }: ServerDependencies): Pick<Handlers, 'getTradingState' | 'stopTrading' | 'reArmTrading'> {
  return {
    getTradingState: async ({ caller }) => tradingStateFor(db, caller),

    async stopTrading(call) {
      const { state } = call.body;
      const done = await change(
        db,
        call,
        (before) => stricter(before, state),
        (trx, about) => audit(trx, call, call.caller, 'stop-trading', 'ok', about),
        { isStop: true },
      );
      // Stored by now; confirmed when no step is under way that does not know it.
      await waitForEntries(db);
      return done;
    },

    async reArmTrading(call) {
      const { state, set_at: seenAt } = call.body;
      return change(
        db,
        call,
        (before) => (stricter(before, state) === before ? state : before),
        (trx, about) => audit(trx, call, call.caller, 're-arm-trading', 'ok', about),
        { seenAt },
      );
    },
  };
}

/** The kill switch as somebody may see it. */
export async function tradingStateFor(db: Database, caller: Caller) {
  const isAdmin = caller.role === 'admin';
  const [found, own, all] = await Promise.all([
    listSwitches(db, isAdmin ? null : caller.id),
    affectedBy(db, { level: 'user', id: caller.id }),
    isAdmin ? affectedBy(db, { level: 'server' }) : null,
  ]);
  const server = found.find(({ level }) => level === 'server')?.state ?? 'active';
  const mine = found.find(({ userId }) => userId === caller.id)?.state ?? 'active';
  return {
    own: stricter(server, mine),
    server,
    own_bots: own.bots,
    own_open_trades: own.openTrades,
    all_bots: all?.bots ?? null,
    all_open_trades: all?.openTrades ?? null,
    switches: await Promise.all(
      found.map(async (each) => ({ ...toSwitch(each, caller), closing_all: await closingAll(db, each, caller) })),
    ),
  };
}

/** Sets a switch to what `next` makes of it, with its audit record and the mails to owners whom somebody else has stopped or re-armed. */
async function change(
  db: Database,
  call: Call<'stopTrading'> | Call<'reArmTrading'>,
  next: (before: TradingState) => TradingState,
  note: (trx: Database, about: { target: string; detail: Record<string, unknown> }) => Promise<void>,
  { isStop = false, seenAt }: { isStop?: boolean; seenAt?: string | undefined },
): Promise<{ state: TradingState; bots: number; open_trades: number }> {
  const { caller, body } = call;
  return db.transaction().execute(async (trx) => {
    const { target, isOwn } = await lockTarget(trx, caller, body);
    if (!isStop) await refuseSuspended(trx, caller.id);
    const before = await lockSwitch(trx, target);
    const from = before?.state ?? 'active';
    const to = next(from);
    const affected = await affectedBy(trx, target);
    const reply = { state: to, bots: affected.bots, open_trades: affected.openTrades };
    // What an admin stops too is an admin's to re-arm.
    if (to === from && (!isStop || isOwn || isImposed(before))) return reply;
    if (stricter(from, to) === from && isImposed(before) && caller.role !== 'admin') throw new HttpError(403, stoppedByAdmin);
    // In milliseconds, as it is answered. Another time, not a later one: the clock may have been set back.
    if (seenAt !== undefined && (before === undefined || seenAs(before).getTime() !== Date.parse(seenAt)))
      throw new HttpError(409, switchSetAgain);
    await setSwitch(trx, target, {
      state: to,
      setBy: caller.id,
      isImposed: to !== 'active' && (isImposed(before) || !isOwn),
      closeAllAt: to === from ? (before?.closeAllAt ?? null) : null, // what is being closed still is
    });
    for (const owner of affected.owners) {
      if (owner.id === caller.id) continue;
      await addMail(trx, mailTo(owner, to, target, affected));
      await noticeSwitch(trx, owner.id, target, to);
    }
    if (to === 'active') {
      // A limit of a bot has paused it: that alarm ends when the bot is activated.
      await endAlarms(trx, target.level === 'bot' ? ['stopped-by-other'] : ['stopped-by-other', 'limit-reached'], target);
    } else if (!isOwn) await raiseAlarm(trx, { kind: 'stopped-by-other', target, facts: { state: to }, wasMailed: true });
    await note(trx, { target: target.level === 'server' ? 'server' : `${target.level} ${target.id}`, detail: { from, ...reply, to } });
    return reply;
  });
}

/** Whether somebody other than the owner has set a switch. */
export function isImposed(before: TradingSwitch | undefined): boolean {
  return before !== undefined && before.state !== 'active' && before.isImposed;
}

function stricter(one: TradingState, other: TradingState): TradingState {
  return tradingStates.indexOf(one) > tradingStates.indexOf(other) ? one : other;
}

/** The mail to an owner whose bots somebody else has stopped or re-armed. */
export function mailTo({ email }: { email: string }, state: TradingState | 'closed', { level }: TradingTarget, { bots }: Affected) {
  return mails.tradingState(
    email,
    state,
    level === 'server' ? 'all bots of the server' : level === 'bot' || bots === 1 ? 'your bot' : 'your bots',
  );
}

/** Whoever is not an admin learns that an administrator has set a switch, not which one. */
const causeOf = ({ cause, what }: AlarmWords): string => cause ?? what;

function toSwitch(found: NamedSwitch, caller: Caller) {
  const isAdmin = caller.role === 'admin';
  const { level, userId, botId, userEmail, nickname, state, setBy, setByEmail, setAt, ownerId, reason } = found;
  const isOwn = userId === caller.id || ownerId === caller.id;
  const mayReArm = state !== 'active' && (isAdmin || (isOwn && !isImposed(found)));
  const subject = alarmSubject({ level, targetName: userEmail ?? nickname });
  return {
    level,
    id: userId ?? botId,
    name: userEmail ?? nickname,
    state,
    set_by: isAdmin || setBy === caller.id ? setByEmail : null,
    set_at: seenAs(found).toISOString(),
    since: setAt.toISOString(),
    reason,
    behind: mayReArm ? found.behind.map((each) => causeOf(alarmWords({ ...each, subject }))) : [],
    may_re_arm: mayReArm,
  };
}
