package club.ranking

import java.time.Duration
import java.time.Instant

/** Elo ratings of a chess club. */
class Ranking(
    private val players: PlayerStore,
    private val k: Int = 24,
) {
    fun record(white: PlayerId, black: PlayerId, result: Result, at: Instant): Pair<Player, Player> {
        val first = players.get(white)
        val second = players.get(black)
        val change = (k * (result.score - winProbability(first.rating, second.rating))).toInt()
        val updatedFirst = first.played(change, at)
        val updatedSecond = second.played(-change, at)
        players.put(updatedFirst)
        players.put(updatedSecond)
        return updatedFirst to updatedSecond
    }

    fun top(count: Int): List<Player> =
        players.all()
            .filter { it.games >= 10 }
            .sortedByDescending { it.rating }
            .take(count)

    fun inactive(since: Duration, now: Instant): List<Player> =
        players.all()
            .filter { Duration.between(it.lastGame, now) > since }
            .sortedBy { it.lastGame }

    private fun winProbability(own: Int, other: Int): Double =
        1.0 / (1.0 + Math.pow(10.0, (other - own) / 400.0))
}

enum class Result(val score: Double) { WHITE(1.0), BLACK(0.0), DRAW(0.5) }

data class Player(
    val id: PlayerId,
    val name: String,
    val rating: Int = 1200,
    val games: Int = 0,
    val lastGame: Instant = Instant.EPOCH,
) {
    fun played(change: Int, at: Instant): Player =
        copy(rating = rating + change, games = games + 1, lastGame = at)
}

@JvmInline
value class PlayerId(val value: Long)

interface PlayerStore {
    fun get(id: PlayerId): Player
    fun put(player: Player)
    fun all(): List<Player>
}
