import { endSessions, resetTwoFactor } from '#processes/account-rescue.ts';
import type { Config } from '#processes/config.ts';
import { withDatabase } from './backup-command.ts';

/** Ends the sessions of the account with this e-mail, or of everybody, and says how many. */
export async function endSessionsCommand(config: Config, email: string | null, say: (line: string) => void): Promise<void> {
  const ended = await withDatabase(config, (url) => endSessions(url, email));
  say(`${ended} ${ended === 1 ? 'session has' : 'sessions have'} ended.`);
}

/** Switches the second factor of an account off and ends its sessions; its owner gets a mail. */
export async function resetTwoFactorCommand(config: Config, email: string, say: (line: string) => void): Promise<void> {
  const user = await withDatabase(config, (url) => resetTwoFactor(url, email));
  say(`The second factor of ${user.email} is off and its sessions have ended. It can be set up again after the next sign-in.`);
}
