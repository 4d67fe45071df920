import type { CallReply } from '#contract/client.ts';
import type { NewPasskey, PasskeyAnswer } from '#contract/passkeys.ts';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { TestBrowser } from './test-server.ts';
import { origin } from './test-server.ts';

/** What a passkey signs other than it should. */
interface Oddities {
  origin?: string; // the page that asks
  rpId?: string;
  challenge?: string;
  counter?: number;
  type?: string;
  flags?: number;
}

/** A passkey as an authenticator keeps it, with a private key of its own. */
export interface TestPasskey {
  id: string;
  made: (asked: Pick<CallReply<'startPasskey'>, 'challenge' | 'rp_id'>, odd?: Oddities) => NewPasskey;
  answer: (asked: CallReply<'startPasskeySignIn'>, odd?: Oddities) => PasskeyAnswer;
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();

/** An authenticator with one passkey; its counter grows with each signature, or stays at 0. */
export function newPasskey({ counts = true }: { counts?: boolean } = {}): TestPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let signatures = 0;
  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const head = (rpId: string, flags: number, counter: number): Buffer => {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags, 0);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  };
  const next = (): number => (counts ? ++signatures : 0);
  return {
    id: id.toString('base64url'),
    made(asked, odd = {}) {
      // COSE: kty EC2, ES256, P-256, x, y
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.from([0, id.length]);
      const data = Buffer.concat([
        head(odd.rpId ?? asked.rp_id, odd.flags ?? 0x45, odd.counter ?? next()),
        Buffer.alloc(16),
        length,
        id,
        key,
      ]);
      // CBOR: { fmt: 'none', attStmt: {}, authData }
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      const client = clientData(odd.type ?? 'webauthn.create', odd.challenge ?? asked.challenge, odd.origin ?? origin);
      return {
        id: id.toString('base64url'),
        client_data: client.toString('base64url'),
        attestation: attestation.toString('base64url'),
        transports: ['internal'],
      };
    },
    answer(asked, odd = {}) {
      const data = head(odd.rpId ?? asked.rp_id, odd.flags ?? 0x05, odd.counter ?? next());
      const client = clientData(odd.type ?? 'webauthn.get', odd.challenge ?? asked.challenge, odd.origin ?? origin);
      return {
        id: id.toString('base64url'),
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      };
    },
  };
}

/** A passkey of an account, with the backup codes that were shown when it was added. */
export type PasskeyWithCodes = TestPasskey & { backupCodes: string[] };

/** Adds a new passkey to the account of a signed-in person, and gives it with the backup codes that were shown. */
export async function addPasskeyAt(
  at: TestBrowser,
  { name = 'Phone', counts = true }: { name?: string; counts?: boolean } = {},
): Promise<PasskeyWithCodes> {
  const passkey = newPasskey({ counts });
  const { backup_codes: backupCodes } = await at.addPasskey({ body: { name, passkey: passkey.made(await at.startPasskey({})) } });
  return { ...passkey, backupCodes };
}
