import { expect } from 'vitest';
import type { TestBrowser, TestServer } from '../support/test-server.ts';
import type { TestApp } from '../support/authenticator-app.ts';
import { setUpApp } from '../support/authenticator-app.ts';
import { addPasskeyAt, type PasskeyWithCodes } from '../support/passkey.ts';
import { CallFailed, password } from '../support/test-server.ts';

/** An account with a second factor, and the browser of its owner, where it was switched on. */
export type Victim = TestBrowser & { userId: string; email: string };

/** People who attack a server and people who are attacked there, each at an address of their own. */
export function peopleOf(server: TestServer) {
  let count = 0;
  const anywhere = (): TestBrowser => server.browser(`10.${64 + (++count >> 16)}.${(count >> 8) & 255}.${count & 255}`);
  const mails = (email: string): number => server.mailBox.mails.filter(({ to }) => to.includes(email)).length;
  return {
    anywhere,
    mails,
    /** The code in the mail that a call brings about. */
    codeAfter: async (email: string, call: () => Promise<unknown>): Promise<string> => {
      const before = mails(email);
      await call();
      await expect.poll(() => mails(email)).toBeGreaterThan(before);
      return server.mailBox.code(email);
    },
    /** A new account with a second factor; half a minute passes, so that the next code is mailed at once. */
    victim: async (): Promise<Victim> => {
      const owner = await server.signedIn('trader', `victim-${++count}@attack.example`);
      await owner.setUpTwoFactor({ params: { id: owner.userId } });
      await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: server.mailBox.code(owner.email) } });
      server.pass(31_000);
      return owner;
    },
    /** A new account whose only second factor is an authenticator app. */
    appVictim: async (): Promise<Victim & { app: TestApp }> => {
      const owner = await server.signedIn('trader', `victim-${++count}@attack.example`);
      return Object.assign(owner, { app: await setUpApp(server, owner) });
    },
    /** A new account whose only second factor is a passkey. */
    passkeyVictim: async (): Promise<Victim & { passkey: PasskeyWithCodes }> => {
      const owner = await server.signedIn('trader', `victim-${++count}@attack.example`);
      return Object.assign(owner, { passkey: await addPasskeyAt(owner) });
    },
    /** A browser whose user knows the password, and waits for the code. */
    halfSignedIn: async ({ email }: Victim): Promise<TestBrowser> => {
      const at = anywhere();
      await at.login({ body: { email, password } });
      return at;
    },
  };
}

/** The status that a call answers with. */
export async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 200;
  } catch (error) {
    if (error instanceof CallFailed) return error.status;
    throw error;
  }
}
