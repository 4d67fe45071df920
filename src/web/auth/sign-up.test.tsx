import { afterEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { sessionStore } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { button, says } from '../testing/on-page.ts';
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
const color = (text: string) => getComputedStyle(page.getByText(text, { exact: true }).element()).color;
const red = 'rgb(255, 123, 120)';
const green = 'rgb(76, 195, 138)';

const unverified = aUser('trader', { verified: false, email_verified: false });
const registered = { status: 'Verification code sent to your email', ...unverified };
const verified = { status: 'Email verified successfully', ...aUser() };

describe('sign up', () => {
  const fill = async (email: string, password: string, confirmation: string) => {
    await field('Email').fill(email);
    await field('Password').fill(password);
    await field('Confirm Password').fill(confirmation);
    await button('Sign Up').click();
  };

  test('SHELL-02, AUTH-15, VALID-01, VALID-02, VALID-03, VALID-06, OP-23 the entries are checked from top to bottom before anything is sent', async () => {
    await open('/register');
    const rows = [
      ['', '', '', 'Email is required'],
      ['a@b.cd', '', '', 'Password is required'],
      ['a@b.cd', 'secret-secret', '', 'Confirm Password is required'],
      ['a@b.cd', 'secret', 'secret', 'Password must be at least 8 characters'],
      ['a@b.cd', 'secret-secret', 'secret-secres', 'Passwords do not match. Please ensure both passwords are the same.'],
    ] as const;
    for (const [email, password, confirmation, text] of rows) {
      await fill(email, password, confirmation);
      await says(text);
      expect(color(text)).toBe(red);
    }
    expect(network.calls.map(({ name }) => name)).toEqual(['getRegistration']);
  });

  test('where no mail server is set up the step after it says where the code is', async () => {
    await open('/register', undefined, (net) =>
      net.on('getRegistration', { registration: 'open', mails_go_to: 'files' }).on('register', registered),
    );
    await says('8 characters or more, and none of those that many people use.');
    await fill('trader@flotilla.example', 'secret-secret', 'secret-secret');
    await says('No mail server is set up: the mail is a file in the mails folder of this installation.');
  });

  test('API-03, AUTH-16, AUTH-17, AUTH-18, AUTH-19, AUTH-20, STATE-03 a sign-up turns into the verify step and ends at the dashboard', async () => {
    await open('/register', undefined, (net) =>
      net
        .on('register', registered)
        .on('verifyEmail', verified)
        .on('resendVerification', { status: 'A new verification code has been sent to your email' }),
    );
    await fill('trader@flotilla.example', 'secret-secret', 'secret-secret');
    await expect.element(page.getByRole('heading', { name: 'Verify Email' })).toBeVisible();
    await expect.element(address()).toHaveAttribute('data-path', '/register');
    await expect.element(page.getByRole('link', { name: 'Sign In' })).toBeVisible();
    expect(sessionStore.getState()).toMatchObject({ isAuthenticated: true, user: unverified });
    await says('Verification code sent to your email');
    expect(color('Verification code sent to your email')).toBe(green);
    await button('Resend verification code').click();
    await says('A new verification code has been sent to your email');
    await button('Verify Email').click();
    await says('Verification code is required');
    await field('Verification Code').fill('123456');
    await button('Verify Email').click();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    expect(network.of('verifyEmail')[0]?.body).toEqual({ email: 'trader@flotilla.example', code: '123456' });
    expect(sessionStore.getState().user).toEqual(aUser());
  });

  test('ERR-05, ERR-07, OP-14 a failed sign-up says so and why', async () => {
    await open('/register');
    for (const [answer, text] of [
      [problem(409, 'Email is already registered'), 'Email is already registered'],
      [problem(500), 'Something went wrong. Please try again.'],
    ] as const) {
      network.on('register', answer);
      await fill('a@b.cd', 'secret-secret', 'secret-secret');
      await says('Registration failed');
      await says(text);
      expect(color(text)).toBe(red);
    }
  });

  test('AUTH-36, ERR-07 a failed verification shows the detail in red and the general text in red', async () => {
    await open('/register', undefined, (net) => net.on('register', registered));
    await fill('a@b.cd', 'secret-secret', 'secret-secret');
    await field('Verification Code').fill('000000');
    for (const [answer, text] of [
      [problem(400, 'Invalid or expired verification code'), 'Invalid or expired verification code'],
      [problem(500), 'Something went wrong. Please try again.'],
    ] as const) {
      network.on('verifyEmail', answer);
      await button('Verify Email').click();
      await says(text);
      expect(color(text)).toBe(red);
    }
  });
});

describe('verify your email', () => {
  test('SHELL-03, AUTH-21, AUTH-22, AUTH-23, AUTH-26 a supplied e-mail is locked, otherwise it can be typed', async () => {
    await open('/verify-email', { email: 'a@b.cd' });
    await expect.element(page.getByRole('heading', { name: 'Verify Your Email' })).toBeVisible();
    await expect.element(field('Email')).toHaveValue('a@b.cd');
    await expect.element(field('Email')).toHaveAttribute('readonly');
    await expect.element(button('Verify Email')).toBeEnabled();
    await page.getByRole('link', { name: 'Back to Sign In' }).click();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    network.stop();
    await open('/verify-email');
    await expect.element(field('Email').last()).not.toHaveAttribute('readonly');
  });

  test('API-08, AUTH-24, VALID-01, VALID-04 a code is checked and signs in', async () => {
    let answer = () => undefined as void;
    await open('/verify-email', undefined, (net) =>
      net.on(
        'verifyEmail',
        () =>
          new Promise((resolve) => {
            answer = () => resolve(verified);
          }),
      ),
    );
    await button('Verify Email').click();
    await says('Email is required');
    await field('Email').fill('a@b.cd');
    await button('Verify Email').click();
    await says('Verification code is required');
    await field('Verification Code').fill('123456');
    await button('Verify Email').click();
    await expect.element(button('Verifying...')).toBeDisabled();
    answer();
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  });

  test('API-09, AUTH-25, AUTH-34, ERR-07 a resend is green, everything else red', async () => {
    await open('/verify-email', { email: 'a@b.cd' }, (net) =>
      net
        .on('resendVerification', { status: 'A new verification code has been sent to your email' })
        .on('verifyEmail', problem(400, 'Invalid or expired verification code')),
    );
    await button('Resend Verification Code').click();
    await says('A new verification code has been sent to your email');
    expect(color('A new verification code has been sent to your email')).toBe(green);
    await field('Verification Code').fill('000000');
    await button('Verify Email').click();
    await says('Invalid or expired verification code');
    expect(color('Invalid or expired verification code')).toBe(red);
    network.on('resendVerification', problem(503));
    await button('Resend Verification Code').click();
    await says('Something went wrong. Please try again.');
  });
});

describe('reset password', () => {
  const openReset = (answers?: (network: Answerer) => Answerer) =>
    open('/reset-password', { email: 'a@b.cd' }, (net) => (answers ?? ((same) => same))(net.on('getMe', problem(403))));
  const fill = async (code: string, password: string, confirmation: string) => {
    await field('Reset Code').fill(code);
    await field('New Password').fill(password);
    await field('Confirm Password').fill(confirmation);
    await button('Reset Password').click();
  };

  test('OP-02, SHELL-07, VALID-03 the entries are checked in the written order', async () => {
    await openReset();
    await expect.element(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible();
    await expect.element(field('Email')).toHaveAttribute('readonly');
    const rows = [
      ['', '', '', 'Reset code is required'],
      ['123456', '', '', 'Password is required'],
      ['123456', 'abc', '', 'Confirm Password is required'],
      ['123456', 'abc', 'abd', 'Passwords do not match. Please ensure both passwords are the same.'],
      ['123456', 'abc', 'abc', 'Password must be at least 8 characters'],
    ] as const;
    for (const [code, password, confirmation, text] of rows) {
      await fill(code, password, confirmation);
      await says(text);
    }
    expect(network.of('resetPassword')).toEqual([]);
  });

  test('OP-02, API-07 a reset ends at sign in with the status in green', async () => {
    let answer = () => undefined as void;
    await openReset((net) =>
      net.on(
        'resetPassword',
        () =>
          new Promise((resolve) => {
            answer = () => resolve({ status: 'Password reset successfully. Please sign in.' });
          }),
      ),
    );
    await fill('123456', 'secret-secret', 'secret-secret');
    await expect.element(button('Resetting...')).toBeDisabled();
    answer();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    await says('Password reset successfully. Please sign in.');
    expect(color('Password reset successfully. Please sign in.')).toBe(green);
    expect(network.of('resetPassword')[0]?.body).toEqual({
      email: 'a@b.cd',
      code: '123456',
      password: 'secret-secret',
      confirmPassword: 'secret-secret',
    });
  });

  test('OP-02 a new code can be asked for, and a failure is shown', async () => {
    await openReset((net) =>
      net
        .on('forgotPassword', { status: 'A reset code has been sent to your email' })
        .on('resetPassword', problem(400, 'Invalid or expired reset code')),
    );
    await button('Resend Reset Code').click();
    await says('A reset code has been sent to your email');
    await fill('123456', 'secret-secret', 'secret-secret');
    await says('Invalid or expired reset code');
    expect(color('Invalid or expired reset code')).toBe(red);
  });
});

describe('who may sign up', () => {
  const fillIn = async (code: string | null) => {
    await field('Email').fill('guest@harbour.example');
    await field('Password').fill('secret-secret');
    await field('Confirm Password').fill('secret-secret');
    if (code !== null) await field('Invitation Code').fill(code);
    await button('Sign Up').click();
  };

  test('nobody: a sentence stands in place of the form, with the way to sign in', async () => {
    await open('/register', undefined, (net) => net.on('getRegistration', { registration: 'closed', mails_go_to: 'server' }));
    await says('Registration is closed. Ask an administrator for an account.');
    await expect.element(page.getByRole('link', { name: 'Sign In' })).toBeVisible();
    await expect.element(field('Email')).not.toBeInTheDocument();
    await expect.element(button('Sign Up')).not.toBeInTheDocument();
  });

  test('people with an invitation: its code is asked for and sent', async () => {
    await open('/register', undefined, (net) =>
      net.on('getRegistration', { registration: 'invitation', mails_go_to: 'server' }).on('register', registered),
    );
    await fillIn('');
    await says('Invitation Code is required');
    expect(network.of('register')).toEqual([]);
    await fillIn('K7QF-2MXR-9TBA');
    await expect.element(page.getByRole('heading', { name: 'Verify Email' })).toBeVisible();
    expect(network.of('register').map(({ body }) => body)).toEqual([
      {
        email: 'guest@harbour.example',
        password: 'secret-secret',
        confirmPassword: 'secret-secret',
        invitationCode: 'K7QF-2MXR-9TBA',
      },
    ]);
  });

  test('everybody: no code is asked for or sent', async () => {
    await open('/register', undefined, (net) => net.on('register', registered));
    await fillIn(null);
    await expect.element(page.getByRole('heading', { name: 'Verify Email' })).toBeVisible();
    expect(Object.keys(network.of('register')[0]?.body as object)).toEqual(['email', 'password', 'confirmPassword']);
  });

  test('is asked again after a refusal, and what was entered stays', async () => {
    await open('/register', undefined, (net) => net.on('register', problem(403, 'Invalid or expired invitation code')));
    await expect.element(field('Email')).toBeVisible();
    network.on('getRegistration', { registration: 'invitation', mails_go_to: 'server' });
    await fillIn(null);
    await says('Invalid or expired invitation code');
    await expect.element(field('Invitation Code')).toBeVisible();
    await expect.element(field('Email')).toHaveValue('guest@harbour.example');
    await expect.element(field('Password')).toHaveValue('secret-secret');
  });

  test('that cannot be asked leaves the form', async () => {
    await open('/register', undefined, (net) => net.on('getRegistration', problem(403)));
    await expect.element(field('Email')).toBeVisible();
    await expect.element(field('Invitation Code')).not.toBeInTheDocument();
  });
});

describe('an account that needs a second factor', () => {
  const confirmed = { status: 'Email verified successfully. Please sign in.', email: 'a@b.cd' } as const;

  test('goes from the confirmed address to the sign-in, which says so; nobody is signed in', async () => {
    await open('/verify-email', { email: 'a@b.cd' }, (net) => net.on('verifyEmail', confirmed));
    await field('Verification Code').fill('123456');
    await button('Verify Email').click();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    await says('Email verified successfully. Please sign in.');
    expect(color('Email verified successfully. Please sign in.')).toBe(green);
    await expect.element(field('Email')).toHaveValue('a@b.cd');
    expect(sessionStore.getState()).toMatchObject({ isAuthenticated: false, user: null });
  });

  test('goes there from the sign-up too, although the sign-up has stored its user', async () => {
    await open('/register', undefined, (net) => net.on('register', registered).on('verifyEmail', confirmed));
    await field('Email').fill('a@b.cd');
    await field('Password').fill('secret-secret');
    await field('Confirm Password').fill('secret-secret');
    await button('Sign Up').click();
    await field('Verification Code').fill('123456');
    await button('Verify Email').click();
    await expect.element(address()).toHaveAttribute('data-path', '/login');
    await says('Email verified successfully. Please sign in.');
    expect(sessionStore.getState()).toMatchObject({ isAuthenticated: false, user: null });
  });
});
