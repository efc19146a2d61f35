"""Whether new lines are a new version of old ones, by what commits replace."""

from __future__ import annotations

from fastapply.merge.certainty.changes import Change
from fastapply.merge.certainty.versions import LIMIT, Versions

LINES = """\
func Update(ch chan Metric) {
	for _, stats := range all {
		if stats.Current != nil {
			ch <- MustNewConstMetric(currentDesc, float64(*stats.Current)*1000.0)
		}
		if stats.Minimum != nil {
			ch <- MustNewConstMetric(minimumDesc, float64(*stats.Minimum)*1000.0)
		}
	}
	return nil
}
""".splitlines()


def test_a_changed_line_is_a_new_version_and_an_entry_like_others_is_not():
    """Both resemble the line that they might replace."""
    asked = Versions(LINES)
    changed = asked.odds(Change(9, 10, ('	return fmt.Errorf("none")',)))
    entry = asked.odds(
        Change(
            2,
            4,
            (
                "		if stats.Average != nil {",
                "			ch <- MustNewConstMetric(averageDesc, float64(*stats.Average)*1000.0)",
            ),
        )
    )
    assert changed is not None
    assert entry is not None
    assert -LIMIT <= entry < changed <= LIMIT


def test_lines_put_in_are_asked_about_what_stands_beside_them():
    """As much as they are, or the block; the same lines at both ends are left out."""
    new = ("		if stats.Average != nil {", "			ch <- One(averageDesc)", "		}")
    found = Versions(LINES).beside(Change(5, 5, new))
    assert Change(5, 7, new[:2]) in found
    assert Change(2, 4, new[:2]) in found


def test_a_line_that_says_nothing_is_no_version():
    """A closing line, and nothing at all."""
    asked = Versions(LINES)
    assert asked.of([Change(9, 9, ("	}",)), Change(9, 10, ())]) == {}
    assert asked.odds(Change(2, 2, ("x",))) is None


def test_facts_tell_replaced_lines_from_those_that_stay_beside():
    """Each kind has facts of its own."""
    asked = Versions(LINES)
    replaced = asked.of([Change(9, 10, ("	return errNone",))])
    assert set(replaced) <= {"version.least", "version.not"}
    put_in = asked.of([Change(9, 9, ("	done(ch)",))])
    assert put_in
    assert set(put_in) <= {"version.kept", "version.kept_sum"}
