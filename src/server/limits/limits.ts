import { isDeepStrictEqual } from 'node:util';
import { texts } from '#contract/errors.ts';
import { limitSetByAdmin } from '#contract/limits.ts';
import { toDecimal, toText } from '#engine/market/decimal.ts';
import type { Database } from '#storage/database.ts';
import { hasRoughWorth } from '#storage/limits/default-bounds.ts';
import { allowed } from '#storage/limits/limits.ts';
import type { SetLimit } from '#storage/limits/set-limits.ts';
import { listSetLimits, lockSetLimits, setLimit } from '#storage/limits/set-limits.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import { nameOfTarget } from '#storage/trading/trading-states.ts';
import { findUser } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { refuseRiskier } from '../bots/live-gates.ts';
import type { Call, Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { LimitRow, LimitSubject } from './limit-rows.ts';
import { limitRows } from './limit-rows.ts';
import type { AskedTarget } from '../trading/lock-target.ts';
import { lockTarget } from '../trading/lock-target.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { lockChangeableBot, ownBot } from '../bots/visible-bots.ts';

type Reply = Awaited<ReturnType<Handlers['getLimits']>>;

/** Limits of bots, users and the server. */
export function limitHandlers({ db }: ServerDependencies): Pick<Handlers, 'getLimits' | 'changeLimits'> {
  return {
    async getLimits({ caller, query, now }) {
      return replyAbout(db, caller, await subjectOf(db, caller, query), now);
    },

    async changeLimits(call) {
      const { caller, body, now } = call;
      const done = await db.transaction().execute(async (trx) => {
        const { target } = await lockTarget(trx, caller, body);
        if (target.level === 'bot') await lockChangeableBot(trx, caller, target.id);
        await lockSetLimits(trx, target);
        const subject = await subjectOf(trx, caller, body);
        await change(trx, call, subject);
        return replyAbout(trx, caller, subject, now);
      });
      // Stored by now; confirmed when no entry is under way that does not know it.
      await waitForEntries(db);
      return done;
    },
  };
}

/** What is asked about, with its names, for a caller who may see it. */
async function subjectOf(
  db: Database,
  caller: Caller,
  { level, id }: AskedTarget,
): Promise<LimitSubject & { name: string | null; ownerId: string | null }> {
  if (level === 'bot') {
    const bot = await ownBot(db, caller, id ?? '');
    return { target: { level, id: bot.id }, bot, name: bot.nickname, ownerId: bot.userId };
  }
  if (level === 'server') {
    if (caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
    return { target: { level }, bot: null, name: null, ownerId: null };
  }
  const userId = id ?? caller.id;
  if (userId !== caller.id && caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
  const user = await findUser(db, userId);
  if (user === null) throw new HttpError(404, 'User not found');
  return { target: { level, id: userId }, bot: null, name: user.email, ownerId: userId };
}

/**
 * Sets what a call asks for, with its audit record. Raising needs a fresh password, in whichever mode it does. What an
 * administrator sets for somebody else is a ceiling in place of the owner's value; the owner's later ones lie at or below it, and
 * leave it where it is. Administrators set amounts also in currencies in which nobody trades yet.
 */
async function change(trx: Database, call: Call<'changeLimits'>, subject: Awaited<ReturnType<typeof subjectOf>>): Promise<void> {
  const { caller, body, now } = call;
  const { target } = subject;
  const set = await listSetLimits(trx, target);
  const named = body.changes.flatMap(({ currency }) => (currency !== null && hasRoughWorth(currency) ? [currency] : []));
  const further = caller.role === 'admin' ? named : [];
  const rows = await limitRows(trx, subject, now, further);
  const imposes = subject.ownerId !== null && subject.ownerId !== caller.id; // only an administrator gets here then
  for (const { name, currency, value } of body.changes) {
    const row = rowOf(rows, name, currency);
    const limit = { name, currency: keyOf(subject, row) };
    const own = value === null ? null : toText(toDecimal(value));
    const isAbove = !imposes && own !== null && row.ceiling !== null && Number(own) > Number(row.ceiling);
    if (isAbove && caller.role !== 'admin') throw new HttpError(403, limitSetByAdmin);
    // One that holds because of another currency is lifted by one in this.
    const isOfOther = setOf(set, subject, row).ceiling === undefined;
    if (imposes || isAbove) await setLimit(trx, target, { ...limit, value: imposes || isOfOther ? own : null, isCeiling: true }, caller.id);
    await setLimit(trx, target, { ...limit, value: imposes ? null : own, isCeiling: false }, caller.id);
  }
  const later = await limitRows(trx, subject, now, further);
  const changes: Record<string, unknown> = {};
  // What is set in one currency may be what holds in another, which moves with it.
  for (const row of rows.filter(({ name }) => body.changes.some((change) => change.name === name))) {
    const { name, currency } = row;
    const asked = body.changes.find((change) => change.name === name && change.currency === currency);
    const inModes = later.find((each) => each.name === name && each.currency === currency)?.byMode ?? [];
    const label = currency === null ? name : `${name} ${currency}`;
    for (const before of row.byMode) {
      const after = inModes.find(({ mode }) => mode === before.mode) ?? { value: '0', hasNoRate: false };
      const [from, to] = [before, after].map((each) => (each.hasNoRate ? '0' : each.value));
      if (asked === undefined && from === to) continue;
      const isRaised = allowed(after) > allowed(before);
      if (isRaised && before.mode !== 'paper') await refuseRiskier(trx, call);
      else if (isRaised) {
        await refuseSuspended(trx, caller.id);
        requireStepUp(caller, now);
      }
      const how = asked === undefined ? { moved: true } : asked.value === null ? { default: true } : {};
      const moved = { from, to, ...how, ...(imposes ? { imposed: true } : {}) };
      if (before === row.byMode[0] || !(label in changes)) changes[label] = moved;
      else if (!isDeepStrictEqual(moved, changes[label])) changes[`${label} ${before.mode}`] = moved;
    }
  }
  await audit(trx, call, caller, 'change-limits', 'ok', { target: nameOfTarget(target), detail: changes });
}

function rowOf(rows: readonly LimitRow[], name: LimitRow['name'], currency: string | null): LimitRow {
  const row = rows.find((each) => each.name === name && each.currency === currency);
  if (row === undefined) throw new HttpError(400, texts.invalidRequest);
  return row;
}

async function replyAbout(db: Database, caller: Caller, subject: Awaited<ReturnType<typeof subjectOf>>, now: Date): Promise<Reply> {
  const { target, bot, name, ownerId } = subject;
  const [set, rows] = await Promise.all([listSetLimits(db, target), limitRows(db, subject, now)]);
  const isAdmin = caller.role === 'admin';
  return {
    level: target.level,
    id: target.level === 'server' ? null : target.id,
    name,
    mode: bot === null ? null : tradeModeOf(bot),
    limits: rows.map((row) => {
      const { own, ceiling } = setOf(set, subject, row);
      const by = own ?? ceiling;
      const bound = ownerId === caller.id ? row.ceiling : null; // whoever imposes limits is not bound by them
      const setHere = ceiling !== undefined;
      return {
        name: row.name,
        currency: row.currency,
        value: Number(row.value),
        default: Math.min(Number(bound ?? row.byDefault), setHere ? Infinity : Number(row.byDefault)),
        is_default: row.isDefault,
        use: row.use === null ? null : Number(row.use),
        has_no_rate: row.hasNoRate,
        stricter:
          row.stricter === null
            ? null
            : { level: row.stricter.level, value: Number(row.stricter.value), has_no_rate: row.stricter.hasNoRate },
        set_by: by !== undefined && (isAdmin || by.setBy === caller.id) ? by.setByEmail : null,
        set_at: by?.setAt.toISOString() ?? null,
        ceiling: row.ceiling === null ? null : Number(row.ceiling),
        may_raise: isAdmin || row.ceiling === null || Number(row.value) < Number(row.ceiling),
      };
    }),
  };
}

/** What was set of a limit: by its owner, and by an administrator as the ceiling above that. */
function setOf(
  set: readonly SetLimit[],
  subject: LimitSubject,
  row: LimitRow,
): { own: SetLimit | undefined; ceiling: SetLimit | undefined } {
  const [own, ceiling] = [false, true].map((isCeiling) =>
    set.find((each) => each.name === row.name && each.currency === keyOf(subject, row) && each.isCeiling === isCeiling),
  );
  return { own, ceiling };
}

/** The currency a limit is kept under: a bot has one stake currency, so its limits need none. */
function keyOf({ bot }: LimitSubject, { currency }: LimitRow): string {
  return bot === null ? (currency ?? '') : '';
}
