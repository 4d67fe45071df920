/** The colour of a message. */
export type Tone = 'error' | 'success';

/** On sign-in and sign-up a message is good news unless it says that something went wrong. */
export function signInTone(message: string): Tone {
  return message.includes('Something went wrong') ? 'error' : 'success';
}

/** On the verify screen only the announcement of a new code is good news. */
export function verifyTone(message: string): Tone {
  return message.includes('new verification code') ? 'success' : 'error';
}

/** On the second-factor screen only the announcement of a mail is good news. */
export function twoFactorTone(message: string): Tone {
  return message.includes('sent to your email') ? 'success' : 'error';
}
