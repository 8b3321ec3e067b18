import java.net.URI
import java.util.UUID
import kotlin.system.exitProcess
import petstore.client.apis.PetsApi
import petstore.client.infrastructure.ApiClient
import petstore.client.infrastructure.ApiResponse
import petstore.client.infrastructure.ClientError
import petstore.client.infrastructure.Serializer
import petstore.client.infrastructure.Success
import petstore.client.models.Error
import petstore.client.models.NewPet
import petstore.client.models.Pet
import petstore.client.models.PetStatus

private val url: String = System.getenv("PETSTORE_URL")

/**
 * Tries the generated client against the service at PETSTORE_URL with the API key PETSTORE_KEY. Exits with 1 at the first
 * difference.
 */
fun main() {
    val pets = PetsApi(url)
    // All clients of the process share the key.
    ApiClient.accessToken = System.getenv("PETSTORE_KEY")
    val odd = pets.addsOnce(9_007_199_254_740_993)
    val greatest = pets.addsOnce(Long.MAX_VALUE)

    val all = pets.all()
    expect("three pages or more", true, all.size > 40)
    expect("ids ascend", all.map(Pet::id).toSortedSet().toList(), all.map(Pet::id))
    expect("the last animals of all pages", listOf(odd, greatest), all.takeLast(2))

    val etag = pets.page(1).header("etag")
    expect("status with If-None-Match", 304, pets.listPetsWithHttpInfo(1, null, null, null, etag).statusCode)

    fails("a blank name", 400, "invalid_request", "name must", pets.createPetWithHttpInfo(NewPet(" ", 1), null))
    ApiClient.accessToken = "wrong"
    fails("a wrong key", 401, "unauthorized", "API key", pets.page(1))
    println("kotlin: ${all.size} animals on all pages, one per Idempotency-Key, ETag, errors and int64 as expected")
}

/** Adds an animal twice with the same Idempotency-Key, as a retry does. */
private fun PetsApi.addsOnce(category: Long): Pet {
    val key = UUID.randomUUID().toString()
    val animal = NewPet("Señor Llama", category, PetStatus.available)
    val first = createPetWithHttpInfo(animal, key)
    val retry = createPetWithHttpInfo(animal, key)
    val pet = data(first)!!
    expect("status", 201, first.statusCode)
    expect("name", "Señor Llama", pet.name)
    expect("categoryId", category, pet.categoryId)
    expect("Idempotent-Replayed of the first response", null, first.header("idempotent-replayed"))
    expect("Idempotent-Replayed of the retry", "true", retry.header("idempotent-replayed"))
    expect("the animal of the retry", pet, data(retry))
    return pet
}

/** Returns the animals of all pages: as long as there is a link to the next page, `after` is taken from it. */
private fun PetsApi.all(): List<Pet> {
    val all = mutableListOf<Pet>()
    var after: Long? = null
    do {
        val page = page(20, after)
        all += data(page)!!
        after = page.header("link")?.let(::next)
    } while (after != null)
    return all
}

private fun PetsApi.page(limit: Int, after: Long? = null) = listPetsWithHttpInfo(limit, null, after, null, null)

private fun next(link: String): Long? =
    if (!link.endsWith("; rel=\"next\"")) null
    else URI(link.substring(1, link.indexOf('>'))).query.split('&').first { it.startsWith("after=") }.substring(6).toLong()

private fun ApiResponse<*>.header(name: String) = headers.entries.firstOrNull { it.key.equals(name, true) }?.value?.first()

private fun <T> data(response: ApiResponse<T>): T {
    expect("response", "Success", response::class.simpleName)
    return (response as Success<T>).data
}

private fun fails(name: String, status: Int, code: String, words: String, response: ApiResponse<*>) {
    expect("status of $name", status, response.statusCode)
    val error = Serializer.moshi.adapter(Error::class.java).fromJson((response as ClientError<*>).body as String)!!
    expect("code of $name", code, error.code)
    expect("status in the body of $name", status, error.status)
    expect("'$words' in: ${error.message}", true, words in error.message)
}

private fun expect(name: String, expected: Any?, actual: Any?) {
    if (expected != actual) {
        System.err.println("kotlin: $name: expected $expected, was $actual")
        exitProcess(1)
    }
}
