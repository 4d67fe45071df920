import { endAlarm, raiseAlarm } from '#storage/alarms/alarms.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import { affectedBy, lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { lockTarget } from './lock-target.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { noticeSwitch } from './switch-notice.ts';
import { isImposed, mailTo } from './trading-states.ts';

/** The last step of the kill switch: a halt, and the end of every open trade. The runners of the bots read it from the switch. */
export function closeAllHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'closeAll'> {
  return {
    async closeAll(call) {
      const { caller, body, now } = call;
      const left = await db.transaction().execute(async (trx) => {
        const { target, isOwn } = await lockTarget(trx, caller, body);
        const before = await lockSwitch(trx, target);
        const affected = await affectedBy(trx, target);
        const reply = { state: 'halted' as const, bots: affected.bots, open_trades: affected.openTrades };
        const askedAt = before?.closeAllAt ?? null;
        if (askedAt !== null && (isOwn || isImposed(before))) return reply; // asked twice is once
        const isImposedNow = isImposed(before) || !isOwn;
        await setSwitch(trx, target, { state: 'halted', setBy: caller.id, isImposed: isImposedNow, closeAllAt: askedAt ?? now });
        for (const owner of affected.owners) {
          if (owner.id === caller.id) continue;
          await addMail(trx, mailTo(owner, 'closed', target, affected));
          await noticeSwitch(trx, owner.id, target, 'closed');
        }
        if (!isOwn) {
          await endAlarm(trx, { kind: 'stopped-by-other', target }); // of an earlier step
          await raiseAlarm(trx, { kind: 'stopped-by-other', target, facts: { state: 'closed' }, wasMailed: true });
        }
        const detail = { from: before?.state ?? 'active', ...reply, to: 'closed' };
        await audit(trx, call, caller, 'close-all', 'ok', {
          target: target.level === 'server' ? 'server' : `${target.level} ${target.id}`,
          detail,
        });
        return reply;
      });
      // What is entered until then is closed too: the runners close whatever is open under the switch.
      await waitForEntries(db);
      return left;
    },
  };
}
