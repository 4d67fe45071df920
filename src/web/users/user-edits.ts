import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';

/** An account of the list. */
export type ManagedUser = CallReply<'listUsers'>[number];

/** A bot of an account of the list. */
export type ManagedBot = ManagedUser['bots'][number];

/** Changes that are held until the admin saves them: the new role by user id, the new status by bot id. */
export interface UserEdits {
  roles: Readonly<Record<string, Role>>;
  statuses: Readonly<Record<string, ManagedBot['status']>>;
}

/** Nothing is pending. */
export const noEdits: UserEdits = { roles: {}, statuses: {} };

/** A pending change with its names, as the save bar, the dialog and the calls need it. */
export type PendingChange = { id: string; name: string } & (
  | { kind: 'role'; from: Role; to: Role }
  | { kind: 'status'; from: ManagedBot['status']; to: ManagedBot['status']; mode: ManagedBot['mode'] }
);

/** The edits with another role for an account; the role it has drops its edit. */
export function withRole(edits: UserEdits, user: Pick<ManagedUser, 'id' | 'role'>, role: Role): UserEdits {
  return { ...edits, roles: withValue(edits.roles, user.id, role, user.role) };
}

/** The edits with another status for a bot; the status it has drops its edit. */
export function withStatus(edits: UserEdits, bot: Pick<ManagedBot, 'id' | 'status'>, status: ManagedBot['status']): UserEdits {
  return { ...edits, statuses: withValue(edits.statuses, bot.id, status, bot.status) };
}

/** The edits without one that was saved. */
export function withoutChange(edits: UserEdits, { kind, id }: Pick<PendingChange, 'kind' | 'id'>): UserEdits {
  return kind === 'role' ? { ...edits, roles: without(edits.roles, id) } : { ...edits, statuses: without(edits.statuses, id) };
}

/**
 * The pending changes in the order in which they are saved: roles first, then bots. An edit of an account or a bot that is
 * gone, that has become what was wanted, or that has become an admin's counts no more.
 */
export function pendingChanges(edits: UserEdits, users: readonly ManagedUser[]): PendingChange[] {
  const roles = users.flatMap(({ id, email, role }): PendingChange[] => {
    const to = edits.roles[id];
    return to === undefined || to === role || role === 'admin' ? [] : [{ kind: 'role', id, name: email, from: role, to }];
  });
  const statuses = users
    .flatMap(({ bots }) => bots)
    .flatMap(({ id, name, status, mode }): PendingChange[] => {
      const to = edits.statuses[id];
      return to === undefined || to === status ? [] : [{ kind: 'status', id, name, from: status, to, mode }];
    });
  return [...roles, ...statuses];
}

function withValue<T>(values: Readonly<Record<string, T>>, id: string, value: T, original: T): Readonly<Record<string, T>> {
  return value === original ? without(values, id) : { ...values, [id]: value };
}

function without<T>(values: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> {
  const { [id]: _, ...rest } = values;
  return rest;
}
