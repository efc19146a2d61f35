import { useId, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';

import { Icon } from './Icon';
import { cx } from './cx';

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
};

export function TextField({
  label,
  hint,
  error,
  className,
  ...props
}: FieldProps & ComponentProps<'input'>) {
  const id = useId();

  return (
    <div className={cx('field', error && 'field--error', className)}>
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-invalid={Boolean(error)} {...props} />
      {hint && <p className="field__hint">{hint}</p>}
      {error && <p className="field__error">{error}</p>}
    </div>
  );
}

export function TextArea({
  label,
  hint,
  error,
  className,
  ...props
}: FieldProps & ComponentProps<'textarea'>) {
  const id = useId();

  return (
    <div className={cx('field', error && 'field--error', className)}>
      <label htmlFor={id}>{label}</label>
      <textarea id={id} aria-invalid={Boolean(error)} {...props} />
      {hint && <p className="field__hint">{hint}</p>}
      {error && <p className="field__error">{error}</p>}
    </div>
  );
}

export function PasswordField({ label, hint, error, ...props }: FieldProps & ComponentProps<'input'>) {
  const id = useId();
  const [shown, setShown] = useState(false);

  return (
    <div className="field field--password">
      <label htmlFor={id}>{label}</label>
      <input id={id} type={shown ? 'text' : 'password'} {...props} />
      <button type="button" onClick={() => setShown((value) => !value)}>
        <Icon name={shown ? 'eye-off' : 'eye'} />
      </button>
      {error && <p className="field__error">{error}</p>}
    </div>
  );
}
