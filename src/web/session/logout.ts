import { signInApi } from '../api/sign-in-api.ts';
import { setLeaving } from '../api/leaving.ts';
import { noteSessionEnd } from './session-end.ts';
import { clearSession, sessionStore } from './session-store.ts';

/**
 * Ends the session, once `cancelCalls` has cancelled what is being asked; until then nothing new is. A failing call is ignored: the browser
 * forgets the session anyway.
 */
export async function logout(cancelCalls: () => Promise<void>): Promise<void> {
  setLeaving(true);
  try {
    await cancelCalls();
    await signInApi.logout({}).catch(() => null);
    noteSessionEnd('left');
    clearSession();
    sessionStore.persist.clearStorage(); // other tabs see that it was left on purpose
    await new Promise((resolve) => setTimeout(resolve)); // React takes the screens away before; until then they may still ask
  } finally {
    setLeaving(false);
  }
}
