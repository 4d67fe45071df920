import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { availableBotsKey, botsKey } from '../api/query-keys.ts';
import { liveKey } from '../live/live-key.ts';
import { cancelledText, isAbort, untilAborted } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';
import { changeEdits } from './edits-store.ts';
import type { ManagedUser, PendingChange } from './user-edits.ts';
import { withoutChange } from './user-edits.ts';

const usersKey = ['managed-users'] as const;

const cancelledWords = `${cancelledText} The change that was under way may have been saved already: check the list.`;

/** A failure: its fixed text, and the reason where there is one. */
export interface Failure {
  text: string;
  detail: string | null;
}

/** The accounts and what can be done with them. */
export interface UsersState {
  users: readonly ManagedUser[] | undefined; // undefined while not loaded, or when that failed
  loadFailure: Failure | null;
  actionFailure: Failure | null; // of the newest action
  isBusy: boolean; // while something is verified or saved
  reload: () => Promise<void>;
  verify: (user: ManagedUser) => Promise<void>;
  endSessions: (user: ManagedUser, signal: AbortSignal) => Promise<boolean>; // whether they have ended
  saveAll: (changes: readonly PendingChange[]) => Promise<boolean>; // whether all were saved
  cancelSaving: () => void; // nothing more of it goes out
}

/** Loads all accounts once `isAllowed`; verifies an account and saves pending changes, and reports how it went. */
export function useUsers(isAllowed: boolean): UsersState {
  const queryClient = useQueryClient();
  const [actionFailure, setActionFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const sending = useSending();
  const list = useQuery({
    queryKey: usersKey,
    queryFn: ({ signal }) => api.listUsers({}, { signal }),
    enabled: isAllowed,
    meta: { what: 'users' },
  });

  const reload = () => queryClient.refetchQueries({ queryKey: usersKey });
  /** Does something; a failure is kept under its fixed text, with whose it is. The list is loaded again in any case. */
  const act = async (failureText: string, action: (about: (name: string) => void) => Promise<void>): Promise<boolean> => {
    let whose = '';
    setBusy(true);
    setActionFailure(null);
    let isDone = true;
    try {
      await action((name) => {
        whose = `${name}: `;
      });
    } catch (error) {
      const reason = reasonOf(error);
      const failure = { text: failureText, detail: reason === null ? null : `${whose}${reason}` };
      setActionFailure(isAbort(error) ? { text: cancelledWords, detail: null } : failure);
      isDone = false;
    }
    await reload();
    setBusy(false);
    return isDone;
  };

  return {
    users: heldData(list),
    loadFailure: list.isError ? { text: 'Failed to load users. Please try again.', detail: reasonOf(list.error) } : null,
    actionFailure,
    isBusy,
    reload,
    async verify(user) {
      await act('Failed to verify user.', async () => {
        await api.verifyUser({ params: { id: user.id }, body: { verified: true, email_verified: true } });
      });
    },
    endSessions: (user, signal) =>
      act('Failed to end the sessions.', async () => {
        await untilAborted(api.endUserSessions({ params: { id: user.id } }, { signal }), signal);
        showToast('success', `${user.email} is signed out everywhere`);
      }),
    saveAll: (changes) =>
      act('Failed to save changes.', async (about) => {
        await sending.send(async (signal) => {
          for (const change of changes) {
            signal.throwIfAborted();
            about(change.name);
            await saveOne(change, signal);
            changeEdits((edits) => withoutChange(edits, change));
          }
        });
        showToast('success', 'Changes saved!');
      }),
    cancelSaving: () => void sending.cancel(),
  };

  /** What was saved is shown as it is now and leaves the pending edits at once, whatever becomes of the next one. */
  async function saveOne(change: PendingChange, signal: AbortSignal): Promise<void> {
    const { id } = change;
    const update = async (toUser: (user: ManagedUser) => ManagedUser) => {
      await queryClient.cancelQueries({ queryKey: usersKey }); // an answer under way may be older
      queryClient.setQueryData<ManagedUser[]>(usersKey, (users) => users?.map(toUser));
    };
    if (change.kind === 'role') {
      const changed = await api.changeRole({ params: { id }, body: { role: change.to } }, { signal });
      return update((user) => (user.id === id ? changed : user));
    }
    // Whoever starts a bot has seen whether its orders are real. A pause is never refused for that.
    const seen = change.to === 'active' ? { mode: change.mode } : {};
    const { status } = await api.setBotStatus({ params: { id }, body: { status: change.to, was: change.from, ...seen } }, { signal });
    await update((user) => ({ ...user, bots: user.bots.map((bot) => (bot.id === id ? { ...bot, status } : bot)) }));
    for (const queryKey of [botsKey, availableBotsKey, liveKey]) void queryClient.invalidateQueries({ queryKey });
  }
}
