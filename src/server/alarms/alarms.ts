import { alarmSubject } from '#mail/alarm-mails.ts';
import { alarmWords } from '#mail/alarm-words.ts';
import type { AlarmViewer, OpenAlarm } from '#storage/alarms/alarms.ts';
import { acknowledgeAlarms, listAlarmItems, listAlarms, lockSeenAlarms } from '#storage/alarms/alarms.ts';
import type { Database } from '#storage/database.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** What needs a person now. */
export function alarmHandlers({
  db,
}: ServerDependencies): Pick<Handlers, 'listAlarms' | 'listAlarmItems' | 'acknowledgeAlarm' | 'acknowledgeAlarms'> {
  return {
    listAlarms: async ({ caller }) => alarmsFor(db, caller),

    async listAlarmItems({ caller, params }) {
      const alarm = await listAlarmItems(db, params.id, viewer(caller));
      if (alarm === null) throw new HttpError(404, 'Alarm not found');
      const subject = alarmSubject(alarm);
      return alarm.items.map(({ facts, raisedAt }) => ({
        what: alarmWords({ kind: alarm.kind, subject, facts }).what,
        raised_at: raisedAt.toISOString(),
      }));
    },

    async acknowledgeAlarm(call) {
      const { caller, params } = call;
      await db.transaction().execute(async (trx) => {
        const [done] = await acknowledgeAlarms(trx, [params.id], viewer(caller));
        if (done === undefined) throw new HttpError(404, 'Alarm not found');
        await audit(trx, call, caller, 'acknowledge-alarm', 'ok', { target: done.target, detail: { kind: done.kind } });
      });
      return { status: 'Alarm acknowledged' };
    },

    async acknowledgeAlarms(call) {
      const { caller, body } = call;
      return await db.transaction().execute(async (trx) => {
        const { same, grown } =
          body.seen === undefined ? { same: body.ids ?? [], grown: [] } : await lockSeenAlarms(trx, body.seen, viewer(caller));
        const done = await acknowledgeAlarms(trx, same, viewer(caller));
        const kinds = Object.fromEntries([...Map.groupBy(done, ({ kind }) => kind)].map(([kind, some]) => [kind, some.length]));
        if (done.length > 0) await audit(trx, call, caller, 'acknowledge-alarms', 'ok', { detail: { alarms: done.length, kinds } });
        return { acknowledged: done.length, happened_since: grown };
      });
    },
  };
}

/** The open alarms that somebody may see. */
export async function alarmsFor(db: Database, caller: Caller) {
  const open = await listAlarms(db, caller.role === 'admin' ? null : caller.id);
  return open.map((alarm) => toReply(alarm, caller));
}

function viewer({ id, role }: Caller): AlarmViewer {
  return { id, seesAll: role === 'admin' };
}

function toReply(alarm: OpenAlarm, caller: Caller) {
  const { id, kind, level, targetId, count, ownerId, ownerEmail, raisedAt, acknowledgedAt } = alarm;
  const { title, what, advice } = alarmWords({ ...alarm, subject: alarmSubject(alarm) });
  return {
    id,
    kind,
    level,
    target_id: targetId,
    title,
    what,
    advice,
    count,
    owner: ownerId === caller.id ? null : ownerEmail,
    raised_at: raisedAt.toISOString(),
    acknowledged_at: acknowledgedAt?.toISOString() ?? null,
  };
}
