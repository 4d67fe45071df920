import { codeAt, stepsAt } from '#server/auth/totp.ts';
import type { TestBrowser, TestServer } from './test-server.ts';

/** The app on a person's phone, with the backup codes that were shown. */
export interface TestApp {
  secret: Buffer;
  backupCodes: string[];
  /** Its code of a half minute: the present one, or one `near` it. */
  code: (near?: number) => string;
}

/** An app that knows a secret as it was shown. */
export function appOf(server: TestServer, secret: string): TestApp {
  const bits = secret
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return { secret: bytes, backupCodes: [], code: (near = 0) => codeAt(bytes, stepsAt(server.dependencies.now()) + near) };
}

/** Sets an authenticator app up for a signed-in person; half a minute passes, so that its next code is a new one. */
export async function setUpApp(server: TestServer, at: TestBrowser, presentCode?: string): Promise<TestApp> {
  const app = appOf(server, (await at.startAuthenticator({})).secret);
  const present = presentCode === undefined ? {} : { present_code: presentCode };
  const { backup_codes: backupCodes } = await at.confirmAuthenticator({ body: { code: app.code(), ...present } });
  server.pass(31_000);
  return { ...app, backupCodes };
}
