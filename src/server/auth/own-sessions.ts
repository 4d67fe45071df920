import { endSession, endSessionsOf, listLiveSessions } from '#storage/auth/sessions.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** Where a person is signed in, and ending it elsewhere. */
export function ownSessionHandlers({ db }: ServerDependencies): Pick<Handlers, 'listSessions' | 'endOwnSession' | 'endOtherSessions'> {
  return {
    listSessions: async ({ caller, now }) =>
      (await listLiveSessions(db, caller.id, now)).map((session) => ({
        id: session.id,
        device: session.device,
        address: session.address,
        started_at: session.startedAt.toISOString(),
        last_seen_at: session.lastSeenAt.toISOString(),
        is_current: session.id === caller.sessionId,
      })),

    async endOwnSession(call) {
      const { caller, now, params } = call;
      await db.transaction().execute(async (trx) => {
        if (!(await endSession(trx, params.id, now, 'ended by its owner', caller.id))) throw new HttpError(404, 'Session not found');
        await audit(trx, call, caller, 'end-session', 'ok', { target: params.id });
      });
      if (params.id === caller.sessionId) call.cookies.clear('session');
      return { status: 'Session ended' };
    },

    async endOtherSessions(call) {
      const { caller, now } = call;
      await db.transaction().execute(async (trx) => {
        await endSessionsOf(trx, caller.id, now, 'ended by its owner', caller.sessionId);
        await audit(trx, call, caller, 'end-other-sessions', 'ok');
      });
      return { status: 'All other sessions have ended' };
    },
  };
}
