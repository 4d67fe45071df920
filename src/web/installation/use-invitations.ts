import type { CallInput, CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import { showToast } from '../ui/toast.ts';

/** An invitation of the list. */
export type Invitation = CallReply<'listInvitations'>[number];

/** A failure: its fixed text, and the reason where there is one. */
export interface Failure {
  text: string;
  detail: string | null;
}

/** The invitations and what can be done with them. */
export interface InvitationsState {
  invitations: readonly Invitation[] | undefined; // the newest first; undefined while not loaded, or when that failed
  loadFailure: Failure | null;
  actionFailure: Failure | null; // of the newest action
  busy: string | null; // the id of the one that is being withdrawn, or 'invite'
  reload: () => Promise<unknown>;
  invite: (body: CallInput<'invite'>['body']) => Promise<boolean>; // whether it was mailed
  withdraw: (invitation: Invitation) => Promise<boolean>;
}

/** Loads the invitations; mails and withdraws them. The list is loaded again after each. */
export function useInvitations(): InvitationsState {
  const [actionFailure, setActionFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const list = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => api.listInvitations({}, { signal }),
    gcTime: 0,
    meta: { what: 'invitations' },
  });
  const act = async (name: string, failureText: string, done: string, action: () => Promise<unknown>): Promise<boolean> => {
    setBusy(name);
    setActionFailure(null);
    try {
      await action();
      showToast('success', done);
      return true;
    } catch (error) {
      setActionFailure({ text: failureText, detail: reasonOf(error) });
      return false;
    } finally {
      await list.refetch();
      setBusy(null);
    }
  };
  return {
    invitations: heldData(list),
    loadFailure: list.isError ? { text: 'Failed to load invitations. Please try again.', detail: reasonOf(list.error) } : null,
    actionFailure,
    busy,
    reload: () => list.refetch(),
    invite: (body) => act('invite', 'The invitation was not sent.', 'Invitation sent!', () => api.invite({ body })),
    withdraw: ({ id }) =>
      act(id, 'The invitation was not withdrawn.', 'Invitation withdrawn!', () => api.withdrawInvitation({ params: { id } })),
  };
}
