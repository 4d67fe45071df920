import { alarmSubject } from '#mail/alarm-mails.ts';
import { alarmWords } from '#mail/alarm-words.ts';
import type { OpenAlarm } from '#storage/alarms/alarms.ts';
import { acknowledgeAlarm, listAlarms } from '#storage/alarms/alarms.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** What needs a person now. */
export function alarmHandlers({ db }: ServerDependencies): Pick<Handlers, 'listAlarms' | 'acknowledgeAlarm'> {
  return {
    async listAlarms({ caller }) {
      const open = await listAlarms(db, caller.role === 'admin' ? null : caller.id);
      return open.map((alarm) => toReply(alarm, caller));
    },

    async acknowledgeAlarm(call) {
      const { caller, params } = call;
      await db.transaction().execute(async (trx) => {
        const done = await acknowledgeAlarm(trx, params.id, { id: caller.id, seesAll: caller.role === 'admin' });
        if (done === null) throw new HttpError(404, 'Alarm not found');
        await audit(trx, call, caller, 'acknowledge-alarm', 'ok', { target: done.target, detail: { kind: done.kind } });
      });
      return { status: 'Alarm acknowledged' };
    },
  };
}

function toReply(alarm: OpenAlarm, caller: Caller) {
  const { id, kind, level, targetId, ownerId, ownerEmail, raisedAt, acknowledgedAt } = alarm;
  return {
    id,
    kind,
    level,
    target_id: targetId,
    ...alarmWords({ ...alarm, subject: alarmSubject(alarm) }),
    owner: ownerId === caller.id ? null : ownerEmail,
    raised_at: raisedAt.toISOString(),
    acknowledged_at: acknowledgedAt?.toISOString() ?? null,
  };
}
