import { minuteMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import { audit } from './audit.ts';
import type { Caller } from '../calls/caller.ts';

/** Notes in the audit log who called what their role does not allow; a call that is repeated, once in a minute. */
export class DeniedCalls {
  #minute = 0;
  #noted = new Set<string>();

  /** Notes a call, if it is the first of its kind in the minute. */
  async note(db: Database, call: { address: string; requestId: string; now: Date }, caller: Caller, routeId: string): Promise<void> {
    const minute = Math.floor(call.now.getTime() / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#noted = new Set();
    }
    const key = `${caller.id} ${routeId}`;
    if (this.#noted.has(key)) return;
    this.#noted.add(key);
    await audit(db, call, caller, 'call-denied', 'refused', { detail: { call: routeId } });
  }
}
