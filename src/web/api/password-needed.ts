import { authRoutes } from '#contract/auth.ts';
import { texts } from '#contract/errors.ts';
import { ApiError } from './api-error.ts';

let ask: (() => Promise<boolean>) | null = null;
let underWay: Promise<boolean> | null = null; // calls refused at the same time wait for one answer

/** Whether a call was refused because the password was last checked too long ago. */
export function isPasswordNeeded(error: unknown, path: string): boolean {
  const hasOwnField = path === authRoutes.updatePassword.path; // the form of a new password asks by itself
  return !hasOwnField && error instanceof ApiError && error.status === 403 && error.detail === texts.passwordNeeded;
}

/** Asks the person for the password; false when nobody asks here or it was not given. */
export function confirmedByPassword(): Promise<boolean> {
  underWay ??= (ask?.() ?? Promise.resolve(false)).finally(() => {
    underWay = null;
  });
  return underWay;
}

/** From now on `asker` asks for the password; gives the way to end that. */
export function askForPasswordBy(asker: () => Promise<boolean>): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}
