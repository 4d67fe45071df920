import type { Caller } from './caller.ts';

/** The e-mail of somebody as the caller may read it: complete for admins, operators and that person, else first letter and domain. */
export function shownEmail(caller: Pick<Caller, 'id' | 'role'>, of: { id: string; email: string }): string {
  if (caller.role === 'admin' || caller.role === 'operator' || caller.id === of.id) return of.email;
  return `${of.email.slice(0, 1)}***@${of.email.slice(of.email.lastIndexOf('@') + 1)}`;
}
