package html

import (
	"strconv"
	"time"

	"caselsp/store/lazyregexp"
)

// Dates and times as HTML writes them (HTML, 2.3.5).

var (
	dayForm      = lazyregexp.New(`^(\d{4,})-(\d\d)-(\d\d)$`)
	monthForm    = lazyregexp.New(`^(\d{4,})-(\d\d)$`)
	yearlessForm = lazyregexp.New(`^(?:--)?(\d\d)-(\d\d)$`)
	weekForm     = lazyregexp.New(`^(\d{4,})-W(\d\d)$`)
	yearForm     = lazyregexp.New(`^\d{4,}$`)
	clockForm    = lazyregexp.New(`^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$`)
	zoneForm     = lazyregexp.New(`^(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$`)
	momentForm   = lazyregexp.New(`^(\d{4,}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$`)
	periodForm   = lazyregexp.New(`^P(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d{1,3})?S)?)?$`)
	spanForm     = lazyregexp.New(`^(?:\s*\d+(?:\.\d{1,3})?\s*[wdhmsWDHMS]\s*)+$`)
)

// isDay reports whether a text is a date that there is.
func isDay(s string) bool {
	m := dayForm.FindStringSubmatch(s)
	return m != nil && dayExists(m[1], m[2], m[3])
}

func dayExists(year, month, day string) bool {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	return y > 0 && m >= 1 && m <= 12 && d >= 1 && d <= time.Date(y%400+2000, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func isMonth(s string) bool {
	m := monthForm.FindStringSubmatch(s)
	return m != nil && dayExists(m[1], m[2], "01")
}

func isWeek(s string) bool {
	m := weekForm.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	// The last week of a year is the one that holds 28 December.
	_, last := time.Date(year%400+2000, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	return year > 0 && week >= 1 && week <= last
}

func isClock(s string) bool { return clockForm.MatchString(s) }

// isMoment reports whether a text is a date with a time; zoned, whether it must
// have a time zone, or must have none.
func isMoment(s string, zoned bool) bool {
	m := momentForm.FindStringSubmatch(s)
	return m != nil && isDay(m[1]) && isClock(m[2]) && (m[3] != "") == zoned && (m[3] == "" || zoneForm.MatchString(m[3]))
}

// isTime reports whether a text is what the datetime of a <time> may be.
func isTime(s string) bool {
	if m := yearlessForm.FindStringSubmatch(s); m != nil {
		return dayExists("2000", m[1], m[2])
	}
	return isDay(s) || isMonth(s) || isWeek(s) || isClock(s) || isMoment(s, true) || isMoment(s, false) || zoneForm.MatchString(s) ||
		yearForm.MatchString(s) && s != "0000" || len(s) > 2 && s[len(s)-1] != 'T' && periodForm.MatchString(s) || spanForm.MatchString(s)
}
