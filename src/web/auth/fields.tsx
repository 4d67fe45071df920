import { PasswordInput, TextInput } from '@mantine/core';

/** See the fields below. */
export interface AuthFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  invalid?: boolean;
  autoFocus?: boolean; // the first field that is empty
}

/** The e-mail address; locked when the screen before has given it. */
export function EmailField({
  value,
  onChange,
  invalid = false,
  locked = false,
  autoFocus = false,
}: Omit<AuthFieldProps, 'label'> & { locked?: boolean }) {
  return (
    <TextInput
      label="Email"
      type="email"
      autoComplete="username"
      size="sm"
      value={value}
      readOnly={locked}
      autoFocus={autoFocus}
      aria-readonly={locked}
      className={locked ? 'auth-locked' : ''}
      error={invalid}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A password with a button that shows or hides it. */
export function PasswordField({
  label,
  value,
  onChange,
  invalid = false,
  isNew = false,
  hint,
  autoFocus = false,
}: AuthFieldProps & { isNew?: boolean; hint?: string }) {
  return (
    <PasswordInput
      label={label}
      {...(hint === undefined ? {} : { description: hint, inputWrapperOrder: ['label', 'input', 'description', 'error'] })}
      size="sm"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      autoFocus={autoFocus}
      value={value}
      error={invalid}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${label.toLowerCase()}`, tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** See `NewPasswordFields`. */
export interface NewPasswordFieldsProps {
  label?: string;
  password: string;
  confirmPassword: string;
  onPassword: (password: string) => void;
  onConfirm: (confirmPassword: string) => void;
  invalidField: string | undefined; // the field of the form that is refused
}

/** A new password, and the same once more. */
export function NewPasswordFields({
  label = 'Password',
  password,
  confirmPassword,
  onPassword,
  onConfirm,
  invalidField,
}: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        label={label}
        isNew
        hint="8 characters or more, and none of those that many people use."
        value={password}
        onChange={onPassword}
        invalid={invalidField === 'password'}
      />
      <PasswordField
        label="Confirm Password"
        isNew
        value={confirmPassword}
        onChange={onConfirm}
        invalid={invalidField === 'confirmPassword'}
      />
    </>
  );
}

/** A six-digit code from a mail or an app, the first thing to be entered where it stands; blanks from pasting are dropped. */
export function CodeField({ label, value, onChange, invalid = false }: AuthFieldProps) {
  return (
    <TextInput
      label={label}
      size="sm"
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      value={value}
      error={invalid}
      classNames={{ input: 'auth-code' }}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\s/gu, '').slice(0, 6))}
    />
  );
}

/** The code of an invitation. */
export function InvitationField({ value, onChange, invalid = false }: Omit<AuthFieldProps, 'label'>) {
  return (
    <TextInput
      label="Invitation Code"
      description="It is in the mail that invited you."
      size="sm"
      autoComplete="off"
      spellCheck={false}
      value={value}
      error={invalid}
      onChange={(event) => onChange(event.currentTarget.value.slice(0, 100))}
    />
  );
}
