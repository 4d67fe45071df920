import { useRegistration } from './use-registration.ts';

/** Says where the mail with the code is, where no mail server is set up: nobody would find it. */
export function WhereMailsGo() {
  const { mailsGoToFiles } = useRegistration();
  if (!mailsGoToFiles) return null;
  return <p className="auth-intro">No mail server is set up: the mail is a file in the mails folder of this installation.</p>;
}
