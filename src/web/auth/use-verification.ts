import { emailBody, verifyEmailBody } from '#contract/auth.ts';
import { useNavigate } from 'react-router';
import { signInApi } from '../api/sign-in-api.ts';
import { afterVerification } from '../session/login-flow.ts';
import { firstIssue } from '../ui/first-issue.ts';
import { type Submission, useSubmission } from '../ui/use-submission.ts';

/** See `useVerification`. */
export interface Verification {
  submission: Submission<'verify' | 'resend'>;
  verify: () => Promise<void>;
  resend: () => Promise<void>;
}

/** The confirmation of an e-mail address by a mailed code, and sending another code. `notice` is shown until the first answer. */
export function useVerification({ email, code }: { email: string; code: string }, notice: string | null = null): Verification {
  const navigate = useNavigate();
  const [submission, submit] = useSubmission<'verify' | 'resend'>(notice);
  return {
    submission,
    verify: () =>
      submit('verify', firstIssue(verifyEmailBody, { email, code }), async () => {
        const { path, state } = afterVerification(await signInApi.verifyEmail({ body: { email, code } }));
        await navigate(path, { state });
      }),
    resend: () =>
      submit('resend', firstIssue(emailBody, { email }), async () => (await signInApi.resendVerification({ body: { email } })).status),
  };
}
