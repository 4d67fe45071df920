import { api } from '../api/api.ts';
import { noteSessionEnd } from './session-end.ts';
import { clearSession } from './session-store.ts';

/** Ends the session. A failing call is ignored: the browser forgets the session anyway. */
export async function logout(): Promise<void> {
  await api.logout({}).catch(() => null);
  noteSessionEnd('left');
  clearSession();
}
