import { expect, test } from 'vitest';
import { password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const subjectsTo = async (email: string) => {
  await server.deliver();
  return server.mailBox.mails.filter((mail) => mail.to.includes(email)).map(({ subject }) => subject);
};
const newDevice = 'Sign-in from a new device';

test('a sign-in is mailed the first time on a device, with the device and the address, and not again', async () => {
  const { email } = await server.signedIn('trader');
  const laptop = server.browser('198.51.100.7');
  const signIn = () =>
    laptop.login(
      { body: { email, password } },
      { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' } },
    );
  await signIn();
  expect(await subjectsTo(email)).toEqual([newDevice]);
  expect(server.mailBox.mails.findLast((mail) => mail.to.includes(email))?.text).toMatch(/Firefox on Linux[^]*198\.51\.100\.7/u);
  await laptop.logout({});
  await signIn();
  expect(await subjectsTo(email)).toHaveLength(1);
});

test('the device of one person is new for another', async () => {
  const [one, other] = [await server.signedIn('trader'), await server.signedIn('trader')];
  await one.login({ body: { email: other.email, password } });
  expect(await subjectsTo(other.email)).toEqual([newDevice]);
});

test('after a change of the password each other device is new once, and the one it was changed on is not', async () => {
  const here = await server.signedIn('trader');
  const laptop = server.browser('198.51.100.8');
  await laptop.login({ body: { email: here.email, password } });
  expect(await subjectsTo(here.email)).toEqual([newDevice]);
  const next = 'another horse battery';
  await here.updatePassword({ body: { currentPassword: password, password: next } });
  for (let i = 0; i < 2; i++) await here.login({ body: { email: here.email, password: next } });
  expect(await subjectsTo(here.email)).toEqual([newDevice, 'Your password was changed']);
  for (let i = 0; i < 2; i++) await laptop.login({ body: { email: here.email, password: next } });
  expect(await subjectsTo(here.email)).toEqual([newDevice, 'Your password was changed', newDevice]);
});

test('an account that has just been made is not mailed about its first device', async () => {
  const at = server.browser();
  const email = 'new.person@example.com';
  await at.register({ body: { email, password, confirmPassword: password } });
  await at.verifyEmail({ body: { email, code: server.mailBox.code(email) } });
  expect(await subjectsTo(email)).toEqual(['Your verification code']);
  await at.login({ body: { email, password } });
  expect(await subjectsTo(email)).toEqual(['Your verification code']);
});

test('switching on the second factor is mailed', async () => {
  const person = await server.signedIn('trader');
  await person.setUpTwoFactor({ params: { id: person.userId } });
  await person.verifyTwoFactor({ params: { id: person.userId }, body: { code: server.mailBox.code(person.email) } });
  expect(await subjectsTo(person.email)).toContain('2FA was switched on');
});
