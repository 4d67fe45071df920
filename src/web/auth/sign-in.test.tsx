import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { sessionStore } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { button } from '../testing/on-page.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (path: string, state?: object, answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(null));
  startPage(path);
  return render(<TestPage path={path} {...(state === undefined ? {} : { state })} />);
};
afterEach(async () => {
  await cleanup();
  network.stop();
});

const address = () => page.getByTestId('address');
const field = (name: string) => page.getByLabelText(name, { exact: true });
const signedIn = { status: 'Login successful', ...aUser() };
const color = (text: string) => getComputedStyle(page.getByText(text, { exact: true }).element()).color;
const red = 'rgb(255, 123, 120)';
const green = 'rgb(76, 195, 138)';

async function signIn(email = 'trader@flotilla.example', password = 'secret-secret') {
  await field('Email').fill(email);
  await field('Password').fill(password);
  await button('Sign In').click();
}

describe('sign in', () => {
  test('SHELL-01, AUTH-01, AUTH-03, AUTH-08 the screen has two fields, its button and the way to sign up', async () => {
    await open('/login');
    await expect.element(field('Email')).toBeVisible();
    await expect.element(field('Password')).toHaveAttribute('type', 'password');
    await expect.element(button('Sign In')).toBeEnabled();
    await page.getByRole('link', { name: 'Sign Up' }).click();
    await expect.element(address()).toHaveAttribute('data-path', '/register');
  });

  test('AUTH-02 the password can be shown and hidden', async () => {
    await open('/login');
    await button('Show or hide password').click();
    await expect.element(field('Password')).toHaveAttribute('type', 'text');
    await button('Show or hide password').click();
    await expect.element(field('Password')).toHaveAttribute('type', 'password');
  });

  test('VALID-01, VALID-02, OP-11 empty fields are named in red and nothing is sent', async () => {
    await open('/login');
    await button('Sign In').click();
    await expect.element(page.getByText('Email is required')).toBeVisible();
    expect(color('Email is required')).toBe(red);
    await field('Email').fill('a@b.cd');
    await button('Sign In').click();
    await expect.element(page.getByText('Password is required')).toBeVisible();
    expect(network.calls).toEqual([]);
  });

  test('API-02, AUTH-04, AUTH-12, SHELL-06, OP-03 a sign-in says it is under way and ends at the dashboard', async () => {
    let answer = () => undefined as void;
    await open('/login', undefined, (net) =>
      net.on(
        'login',
        () =>
          new Promise((resolve) => {
            answer = () => resolve(signedIn);
          }),
      ),
    );
    await signIn();
    await expect.element(button('Signing In...')).toBeDisabled();
    expect(network.calls[0]?.body).toEqual({ email: 'trader@flotilla.example', password: 'secret-secret' });
    answer();
    await expect.element(address()).toHaveAttribute('data-path', '/');
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  });

  test('ERR-01, ERR-02, ERR-03, ERR-04, OP-11 a failed sign-in says why, in red', async () => {
    const rows = [
      [problem(429, 'Too many attempts. Please try again later.'), 'Too many attempts. Please try again later.'],
      [problem(401), 'Invalid email or password'],
      [problem(500), 'Login failed'],
      [problem(500, 'Something went wrong. Please try again.'), 'Something went wrong. Please try again.'],
    ] as const;
    await open('/login');
    for (const [answer, text] of rows) {
      network.on('login', answer);
      await signIn();
      await expect.element(page.getByText(text, { exact: true })).toBeVisible();
      expect(color(text)).toBe(red);
    }
  });

  test('ERR-02, API-54 without an answer the sign-in is tried four times, then says so', async () => {
    await open('/login', undefined, (net) => net.on('login', noAnswer));
    await signIn();
    await expect.element(page.getByText('Network error: Unable to connect to the server')).toBeVisible();
    expect(network.of('login')).toHaveLength(4);
  });

  test('AUTH-05, AUTH-06, AUTH-07, AUTH-14, API-06 a reset code is asked for in the same screen', async () => {
    await open('/login', undefined, (net) => net.on('forgotPassword', { status: 'A reset code has been sent to your email' }));
    await button('Forgot password?').click();
    await expect.element(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible();
    await button('Back to Sign In').click();
    await expect.element(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
    await button('Forgot password?').click();
    await button('Send Reset Code').click();
    await expect.element(page.getByText('Email is required')).toBeVisible();
    await field('Email').fill('a@b.cd');
    await button('Send Reset Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/reset-password');
    expect(network.calls[0]?.body).toEqual({ email: 'a@b.cd' });
    await expect.element(field('Email')).toHaveValue('a@b.cd');
  });

  test('ERR-07, OP-11 a failed request for a reset code shows the detail or the general text', async () => {
    await open('/login');
    await button('Forgot password?').click();
    await field('Email').fill('a@b.cd');
    for (const [answer, text] of [
      [problem(400, 'Email is required'), 'Email is required'],
      [problem(500), 'Something went wrong. Please try again.'],
    ] as const) {
      network.on('forgotPassword', answer);
      await button('Send Reset Code').click();
      await expect.element(page.getByText(text, { exact: true })).toBeVisible();
      expect(color(text)).toBe(red);
    }
  });

  test('OP-21 who already has a code goes straight to the reset', async () => {
    await open('/login');
    await button('Forgot password?').click();
    await page.getByRole('link', { name: 'I already have a code' }).click();
    await expect.element(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible();
  });

  test('AUTH-32, AUTH-33, AUTH-36 a message of the screen before is shown in green', async () => {
    await open('/login', { message: 'Password reset successfully. Please sign in.' });
    await expect.element(page.getByText('Password reset successfully. Please sign in.')).toBeVisible();
    expect(color('Password reset successfully. Please sign in.')).toBe(green);
  });
});

describe('second factor', () => {
  const pending = { status: '2FA code sent to your email' as const, email: 'a@b.cd', userId: idOf(7) };
  const openFromSignIn = async (answers: (network: Answerer) => Answerer) => {
    await open('/login', undefined, (net) => answers(net).on('login', pending));
    await signIn('a@b.cd');
    await expect.element(address()).toHaveAttribute('data-path', '/2fa');
  };
  const verified = { status: '2FA verified successfully', ...aUser('trader', { userId: idOf(7) }) };

  test('SHELL-04, AUTH-09, AUTH-27, AUTH-28, AUTH-29, AUTH-30, AUTH-31 the screen shows where the code went', async () => {
    await openFromSignIn((net) => net);
    await expect.element(page.getByText('a@b.cd')).toBeVisible();
    await expect.element(field('2FA Code')).toBeVisible();
    await expect.element(field('2FA Code')).toHaveFocus();
    await expect.element(button('Verify 2FA Code')).toBeEnabled();
    await expect.element(button('Resend 2FA Code')).toBeEnabled();
    expect(sessionStore.getState().isAuthenticated).toBe(false);
    await page.getByRole('link', { name: 'Back to Sign In' }).click();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
  });

  test('API-12, OP-10, VALID-05, VALID-11 a code of six digits is checked for the pending account', async () => {
    await openFromSignIn((net) => net.on('verifyTwoFactor', verified));
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('2FA code is required')).toBeVisible();
    await field('2FA Code').fill('12345');
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('Please enter a valid 6-digit 2FA code')).toBeVisible();
    await field('2FA Code').fill('123 456');
    await button('Verify 2FA Code').click();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    expect(network.of('verifyTwoFactor')[0]).toMatchObject({ path: `/auth/verify-2fa/${idOf(7)}`, body: { code: '123456' } });
  });

  test('ERR-08, OP-18, OP-20, OP-80 a wrong code stays on the screen and shows the reason below', async () => {
    await openFromSignIn((net) => net.on('verifyTwoFactor', problem(429, 'Too many attempts. Please try again later.')));
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('Invalid or expired 2FA code. Please try again.')).toBeVisible();
    await expect.element(page.getByText('Too many attempts. Please try again later.')).toBeVisible();
    expect(color('Invalid or expired 2FA code. Please try again.')).toBe(red);
  });

  test('API-10, AUTH-33, AUTH-35 a new code is announced in green', async () => {
    await openFromSignIn((net) => net.on('resendTwoFactor', { status: 'whatever the server says' }));
    await button('Resend 2FA Code').click();
    await expect.element(page.getByText('A new 2FA code has been sent to your email')).toBeVisible();
    expect(color('A new 2FA code has been sent to your email')).toBe(green);
    expect(network.of('resendTwoFactor')[0]?.body).toEqual({ email: 'a@b.cd' });
  });

  test('ERR-09 a failed resend says so in red', async () => {
    await openFromSignIn((net) => net.on('resendTwoFactor', problem(503, 'Email could not be sent. Please try again.')));
    await button('Resend 2FA Code').click();
    await expect.element(page.getByText('Failed to resend 2FA code. Please try again.')).toBeVisible();
    expect(color('Failed to resend 2FA code. Please try again.')).toBe(red);
  });

  test('VALID-07, VALID-08, OP-21 without an account the screen asks to sign in again', async () => {
    await open('/2fa', undefined, (net) => net.on('getMe', problem(403)));
    await button('Resend 2FA Code').click();
    await expect.element(page.getByText('Email not found. Please go back to login.')).toBeVisible();
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('User ID not found')).toBeVisible();
  });

  test('OP-21 a reload of the screen without a session ends at sign in', async () => {
    await open('/2fa', { email: 'a@b.cd' }, (net) =>
      net.on('getMe', problem(401, 'Not authenticated')).on('refreshSession', problem(401, 'Session expired')),
    );
    await expect.element(address()).toHaveAttribute('data-path', '/login');
  });

  test('AUTH-13 an account that is not confirmed continues at the verify screen', async () => {
    await openFromSignIn((net) => net.on('verifyTwoFactor', { ...verified, email_verified: false }));
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/verify-email');
  });
});

describe('two-factor sign-in by an authenticator app', () => {
  const pending = (mailed = false) => ({
    status: 'Enter the code of your authenticator app' as const,
    email: 'a@b.cd',
    userId: idOf(7),
    mailed_codes: mailed,
    passkeys: false,
  });
  const verified = { status: '2FA verified successfully', ...aUser('trader', { userId: idOf(7) }) };
  const openApp = async (answers: (network: Answerer) => Answerer, mailed = false) => {
    await open('/login', undefined, (net) => answers(net.on('login', pending(mailed))));
    await signIn();
    await expect.element(page.getByText('Enter the 6-digit code that your authenticator app shows.')).toBeVisible();
  };

  test('its code signs in; nothing is offered that the account does not have', async () => {
    await openApp((net) => net.on('signInWithApp', verified));
    expect(sessionStore.getState()).toMatchObject({ user: null, isAuthenticated: false });
    await expect.element(page.getByRole('button', { name: 'Send a Code by Mail' })).not.toBeInTheDocument();
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('2FA code is required')).toBeVisible();
    await field('2FA Code').fill('123 456');
    await button('Verify 2FA Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/');
    expect(network.of('signInWithApp')[0]?.body).toEqual({ code: '123456' });
  });

  test('a wrong code is said, and is gone where a backup code is entered', async () => {
    await openApp((net) => net.on('signInWithApp', problem(400, 'Invalid or expired 2FA code. Please try again.')));
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(page.getByText('Invalid or expired 2FA code. Please try again.')).toBeVisible();
    await button('Use a Backup Code').click();
    await expect.element(page.getByText('Invalid or expired 2FA code. Please try again.')).not.toBeInTheDocument();
    await button('Verify Backup Code').click();
    await expect.element(page.getByText('Backup code is required')).toBeVisible();
    network.on('signInWithApp', verified);
    await field('Backup Code').fill(' abcde-fghij ');
    await button('Verify Backup Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/');
    expect(network.of('signInWithApp').at(-1)?.body).toEqual({ code: 'abcde-fghij' });
  });

  test('a code by mail is offered where mailed codes are on', async () => {
    await openApp(
      (net) => net.on('resendTwoFactor', { status: 'A new 2FA code has been sent to your email' }).on('verifyTwoFactor', verified),
      true,
    );
    await button('Send a Code by Mail').click();
    await expect.element(page.getByText('A new 2FA code has been sent to your email')).toBeVisible();
    expect(network.of('resendTwoFactor')[0]?.body).toEqual({ email: 'a@b.cd' });
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/');
  });

  test('a mailbox that is unproven is proven first, and nobody is signed in', async () => {
    await openApp((net) => net.on('signInWithApp', { status: 'Verification code sent to your email', email: 'a@b.cd' }));
    await field('2FA Code').fill('123456');
    await button('Verify 2FA Code').click();
    await expect.element(address()).toHaveAttribute('data-path', '/verify-email');
    expect(sessionStore.getState()).toMatchObject({ user: null, isAuthenticated: false });
  });
});
