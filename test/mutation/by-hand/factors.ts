import type { Mutant } from './mutant.ts';
import { storage, unit } from './mutant.ts';

const bypasses = storage('test/attack/bypasses');
const passkeys = storage('src/server/auth/passkeys');
const twoConnections = storage('src/storage/two-connections/sign-in-and-calls');

/** Protections of second factors, and of messages to browsers, each taken away. */
export const factors: readonly Mutant[] = [
  {
    name: 'passkey-signs-for-a-page-that-looks-alike',
    harm: 'Whoever lures somebody to another page signs in with what is signed there.',
    file: 'src/server/auth/passkey-proof.ts',
    find: 'expectedOrigin: party.origin,\n      expectedRPID: party.id,\n      requireUserVerification: false,\n      credential:',
    replace:
      "expectedOrigin: (JSON.parse(Buffer.from(answer.client_data, 'base64url').toString()) as { origin: string }).origin,\n      expectedRPID: party.id,\n      requireUserVerification: false,\n      credential:",
    ...bypasses,
  },
  {
    name: 'passkey-signs-for-another-host',
    harm: 'A signature that was made for another host signs in.',
    file: 'src/server/auth/passkey-proof.ts',
    find: 'expectedRPID: party.id,\n      requireUserVerification: false,\n      credential:',
    replace: "expectedRPID: [party.id, 'evil.example'],\n      requireUserVerification: false,\n      credential:",
    ...bypasses,
  },
  {
    name: 'passkey-of-anybody',
    harm: 'Whoever knows a password signs in with a passkey of another account.',
    file: 'src/server/auth/passkey-proof.ts',
    find: '(await listPasskeys(trx, of.userId)).find(',
    replace: "(await trx.selectFrom('passkeys').selectAll().execute()).find(",
    ...bypasses,
  },
  {
    name: 'copied-passkey-signs-in',
    harm: 'A passkey that was copied from a device signs in beside the one that it is a copy of.',
    file: 'src/storage/auth/passkeys.ts',
    find: "    .where((where) => where.or([where('counter', '<', String(counter)), where.and([where('counter', '=', '0'), where.lit(counter === 0)])]))\n",
    replace: '',
    ...bypasses,
  },
  {
    name: 'challenge-is-never-used-up',
    harm: 'A signature that somebody has recorded is good again.',
    file: 'src/storage/auth/passkey-challenges.ts',
    find: "const taken = await deleteOf(trx, holder).returning(['challenge', 'expiresAt']).executeTakeFirst();",
    replace: `const taken = await trx
    .selectFrom('passkeyChallenges')
    .select(['challenge', 'expiresAt'])
    .where((eb) =>
      'halfLogin' in holder
        ? eb('halfLogin', '=', holder.halfLogin)
        : eb.and([eb('sessionId', '=', holder.sessionId), eb('purpose', '=', holder.purpose)]),
    )
    .executeTakeFirst();`,
    ...bypasses,
  },
  {
    name: 'challenge-never-runs-out',
    harm: 'What a passkey was asked to sign last week is good today.',
    file: 'src/storage/auth/passkey-challenges.ts',
    find: 'taken === undefined || taken.expiresAt <= now ? null',
    replace: 'taken === undefined ? null',
    ...bypasses,
  },
  {
    name: 'challenge-for-any-purpose',
    harm: 'What was signed to add a passkey takes another one away.',
    file: 'src/storage/auth/passkey-challenges.ts',
    find: "return all.where('sessionId', '=', holder.sessionId).where('purpose', '=', holder.purpose);",
    replace: "return all.where('sessionId', '=', holder.sessionId);",
    ...bypasses,
  },
  {
    name: 'half-logins-outlive-a-passkey-sign-in',
    harm: 'A half login that somebody else has begun with the password is there after the sign-in of the owner.',
    file: 'src/server/auth/passkey-sign-in.ts',
    find: '          await endHalfLogins(trx, same.id);\n',
    replace: '',
    ...bypasses,
  },
  {
    name: 'wrong-passkeys-are-not-counted',
    harm: 'Signatures and codes are tried without an end.',
    file: 'src/server/auth/passkey-sign-in.ts',
    find: 'await countedAppTry(dependencies, call, half.user, () => signIn(half));',
    replace: 'countedAppTry === undefined ? null : await signIn(half);',
    ...passkeys,
  },
  {
    name: 'passkey-removed-without-proof',
    harm: 'Whoever finds an open browser and knows the password takes the second factor away.',
    file: 'src/server/auth/passkeys.ts',
    find: 'const since = await proveBy(trx, same, answer);\n          if (since === null) return null;',
    replace: 'const since = (await proveBy(trx, same, answer)) ?? new Date(0);',
    ...bypasses,
  },
  {
    name: 'passkey-added-without-the-password',
    harm: 'Whoever finds an open browser adds a passkey of his own.',
    file: 'src/contract/passkeys.ts',
    find: "where there were none.',\n    access: { who: 'all', stepUp: true },",
    replace: "where there were none.',\n    access: { who: 'all' },",
    ...bypasses,
  },
  {
    name: 'first-passkey-leaves-other-sessions',
    harm: 'A stolen session lives on after its owner has added a second factor.',
    file: 'src/server/auth/passkeys.ts',
    find: "          await endSessionsOf(trx, user.id, now, '2FA was switched on', caller.sessionId);\n",
    replace: '',
    ...passkeys,
  },
  {
    name: 'backup-code-beside-a-passkey-counts-twice',
    harm: 'A backup code opens two doors.',
    file: 'src/storage/auth/passkeys.ts',
    find: ".where('hash', '=', hash)\n    .where('usedAt', 'is', null)",
    replace: ".where('hash', '=', hash)",
    ...twoConnections,
  },
  {
    name: 'backup-code-of-an-app-counts-twice',
    harm: 'A backup code opens two doors.',
    file: 'src/storage/auth/authenticators.ts',
    find: ".where('hash', '=', hash)\n    .where('usedAt', 'is', null)",
    replace: ".where('hash', '=', hash)",
    ...twoConnections,
  },
  {
    name: 'factor-changed-by-an-ended-session',
    harm: 'A session that its owner has just ended still takes the authenticator app away.',
    file: 'src/server/auth/factor-account.ts',
    find: '  if (!(await lockLiveSession(trx, caller.sessionId))) throw new HttpError(401, texts.notAuthenticated);\n  return same;',
    replace: '  return lockLiveSession === undefined || caller.sessionId === "" ? user : same;',
    ...bypasses,
  },
  {
    name: 'factor-changed-right-after-a-reset',
    harm: 'Whoever holds the mailbox resets the password and adds a factor of his own.',
    file: 'src/server/auth/factor-account.ts',
    find: '  await refuseAfterReset(db, caller.id, now, noTwoFactorAfterReset);\n',
    replace: '',
    ...passkeys,
  },
  {
    name: 'app-replaced-without-the-present-one',
    harm: "Whoever finds an open browser and knows the password puts his own app in place of the owner's.",
    file: 'src/server/auth/authenticators.ts',
    find: 'if (since === null) return null;\n            refuseUnsettled({ since, goesSince: app.confirmedAt, now });',
    replace: 'if (since !== null) refuseUnsettled({ since, goesSince: app.confirmedAt, now });',
    ...storage('src/server/auth/authenticators'),
  },
  {
    name: 'new-factor-drives-the-old-one-out',
    harm: "Whoever finds an open browser and knows the password adds a passkey and takes the owner's factors away with it.",
    file: 'src/server/auth/settled-factor.ts',
    find: 'throw new HttpError(403, factorTexts.unsettled);',
    replace: 'void factorTexts; void HttpError;',
    ...bypasses,
  },
  {
    name: 'push-message-that-its-service-opens',
    harm: 'The push service reads what the bots of a person do.',
    file: 'src/outbound/channels/push-encryption.ts',
    find: "const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\\0'), 16);",
    replace: "const key = derive(shared.subarray(0, 0), salt, Buffer.from('Content-Encoding: aes128gcm\\0'), 16);",
    ...unit('src/outbound/channels/push-encryption'),
  },
  {
    name: 'ended-browser-removed-in-silence',
    harm: 'A browser takes no messages any more, and nobody says so.',
    file: 'src/processes/send-channel-messages.ts',
    find: '    await addMail(trx, mails.browserEnded(owner, name));\n',
    replace: '',
    ...storage('src/server/channels/channel-messages'),
  },
  {
    name: 'paused-browser-removed',
    harm: 'A channel that its owner has paused in this moment is gone.',
    file: 'src/storage/channels/channel-outbox.ts',
    find: 'and c.due_at = ${until} and c.paused_at is null and u.id',
    replace: 'and c.due_at = ${until} and u.id',
    ...storage('src/server/channels/channel-messages'),
  },
  {
    name: 'key-of-the-installation-made-at-each-start',
    harm: 'After a restart no browser takes a message.',
    file: 'src/server/channels/push-keys.ts',
    find: 'if (opened !== null) return opened;',
    replace: '',
    ...storage('src/server/channels/push-keys'),
  },
];
