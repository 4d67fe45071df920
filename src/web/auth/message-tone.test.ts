import { expect, test } from 'vitest';
import { signInTone, twoFactorTone, verifyTone } from './message-tone.ts';

test('AUTH-36 on sign-in and sign-up a message is green unless it says that something went wrong', () => {
  expect(signInTone('Verification code sent to your email')).toBe('success');
  expect(signInTone('Something went wrong. Please try again.')).toBe('error');
});

test('AUTH-34 on the verify screen only a new verification code is good news', () => {
  expect(verifyTone('A new verification code has been sent to your email')).toBe('success');
  expect(verifyTone('Invalid or expired verification code')).toBe('error');
});

test('AUTH-35 on the 2FA screen only what was sent to your email is good news', () => {
  expect(twoFactorTone('A new 2FA code has been sent to your email')).toBe('success');
  expect(twoFactorTone('Failed to resend 2FA code. Please try again.')).toBe('error');
});
